import LocoKit
import LocoKitSimulation
import LocoMachine
import Testing

@testable import TestSupport

#if canImport(SwiftUI)
  import SwiftUI
#else
  /// The part of SwiftUI that the examples need, for platforms without SwiftUI.
  protocol View {
    associatedtype Body
    @MainActor var body: Body { get }
  }

  struct Text: View {
    let body: String
    init(_ text: String) { body = text }
  }

  struct Button: View {
    let body: String
    let press: () -> Void
    private(set) var isDisabled = false
    private(set) var hint = ""

    init(_ text: String, action: @escaping () -> Void) { (body, press) = (text, action) }

    func disabled(_ isDisabled: Bool) -> Button { changed { $0.isDisabled = isDisabled } }
    func help(_ hint: String) -> Button { changed { $0.hint = hint } }

    private func changed(_ change: (inout Button) -> Void) -> Button {
      var copy = self
      change(&copy)
      return copy
    }
  }
#endif

// This example is in a separate file, because SwiftUI's names clash with names in other examples.
@MainActor
@Suite("Examples of SwiftUI")
struct ViewExamples {
  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  enum Views {
    // shown: LocationManager.swift: struct Status

    // shown: MachineRunner.swift: struct PushButton
  }

  #if !canImport(SwiftUI)
    @Test("A button is disabled while its event does nothing, and says why")
    func button() throws {
      let gate = MachineRunner<Turnstile> { _, _ in }
      func button() throws -> Button { try #require(Views.PushButton(gate: gate).body as? Button) }
      #expect(try button().isDisabled)
      #expect(try button().hint == "The arm is locked until a coin is paid.")
      gate.send(.coin)
      #expect(try !button().isDisabled && button().hint.isEmpty)
      try button().press()
      #expect(gate.state == .locked)
    }
  #endif

  @Test("A view shows the manager's state")
  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  func view() {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let manager = LocationManager(provider: device)
    #expect("\(Views.Status(manager: manager).body)".contains("init"))
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(30))
    #expect("\(Views.Status(manager: manager).body)".contains("waitingSignificantChange"))
  }
}
