import LocoKit
import LocoKitSimulation
import Testing

@testable import TestSupport

#if canImport(SwiftUI)
  import SwiftUI
#else
  /// The part of SwiftUI that the example of `LocationModel` needs, for platforms without SwiftUI.
  protocol View {
    associatedtype Body
    @MainActor var body: Body { get }
  }

  struct Text: View {
    let body: String
    init(_ text: String) { body = text }
  }
#endif

// This example is in a separate file, because SwiftUI's names clash with names in other examples.
@MainActor
@Suite("Examples of SwiftUI")
struct ModelExamples {
  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  enum Views {
    // shown: LocationModel.swift: struct Status
  }

  @Test("A view shows the model's state")
  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  func view() {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let manager = LocationManager(provider: device)
    let model = LocationModel(manager)
    #expect("\(Views.Status(model: model).body)".contains("init"))
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(30))
    #expect("\(Views.Status(model: model).body)".contains("waitingSignificantChange"))
  }
}
