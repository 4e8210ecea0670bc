import LocoKit
import Testing

#if canImport(SwiftUI)
  import SwiftUI
#else
  /// What the example of `LocationModel` needs of SwiftUI.
  protocol View {
    associatedtype Body
    @MainActor var body: Body { get }
  }

  struct Text: View {
    let body: String
    init(_ text: String) { body = text }
  }
#endif

// Apart from the other examples: SwiftUI has a `LocationManager.Transition` too.
@MainActor
@Suite("Examples of SwiftUI")
struct ModelExamples {
  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  struct Status: View {
    let model: LocationModel
    var body: some View { Text(model.state.rawValue) }
  }

  @Test("a view shows the model's state")
  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  func view() {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let manager = LocationManager(provider: device)
    let model = LocationModel(manager)
    #expect("\(Status(model: model).body)".contains("init"))
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(30))
    #expect("\(Status(model: model).body)".contains("waitingSignificantChange"))
  }
}
