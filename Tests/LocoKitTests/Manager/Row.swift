import Testing

@testable import LocoKit

/// A manager with its provider. The inputs of a ``Row`` happen to them.
protocol Stage: AnyObject {
  var manager: LocationManager { get }
  /// The number and the name of the current input.
  var step: String { get set }
  var sourceLocation: SourceLocation { get }

  /// Returns what happened since the last input.
  func takeEvents() -> [String]
  /// Checks what holds after each input.
  func checkState()
}

extension Stage {
  func expect<Value: Equatable>(_ value: Value, _ expected: Value) {
    #expect(value == expected, "\(step)", sourceLocation: sourceLocation)
  }
}

/// A behavior of a manager as a row of a table: how the scene begins, its inputs, and the events after each input.
///
/// The text after `=>` lists all events of that input. An input without `=>` causes none.
struct Row<Scene: Stage>: Sendable, CustomTestStringConvertible {
  let name: String
  private let inputs: [Input<Scene>]
  private let makeScene: @Sendable () -> Scene

  init(_ name: String, _ inputs: [Input<Scene>], makeScene: @escaping @Sendable () -> Scene) {
    self.name = name
    self.inputs = inputs
    self.makeScene = makeScene
  }

  var testDescription: String { "\"\(name)\"" }

  /// Gives the inputs to a manager, and compares the events after each input.
  @MainActor
  func check() async {
    let scene = makeScene()
    for (index, input) in inputs.enumerated() {
      scene.step = "input \(index + 1), \(input.description)"
      await input.give(scene)
      scene.expect(scene.takeEvents().joined(separator: ", "), input.received)
      scene.checkState()
    }
  }
}

/// Something that happens to the manager, such as a command, a report, the passing of time, or a comparison.
struct Input<Scene: Stage>: Sendable {
  let description: String
  fileprivate var received = ""
  let give: @MainActor @Sendable (Scene) async -> Void

  init(_ description: String, _ give: @escaping @MainActor @Sendable (Scene) async -> Void) {
    self.description = description
    self.give = give
  }

  /// Adds the expected events of the input, separated by ", ".
  static func => (input: Input, received: String) -> Input {
    var input = input
    input.received = received
    return input
  }

  static var prompt: Input { Input("prompt") { $0.manager.tryPromptAuthorization() } }
  static var forcePrompt: Input { Input("forcePrompt") { $0.manager.forcePromptAuthorization() } }
  static var pause: Input { Input("pause") { $0.manager.pause() } }
  static var resume: Input { Input("resume") { $0.manager.resume() } }
  static var force: Input { Input("force") { $0.manager.forceAcquireLocation() } }
  static func bound(_ bound: Double?) -> Input {
    Input("bound(\(bound ?? .nan))") { $0.manager.errorBound = bound }
  }
  static func policy(_ change: @escaping @Sendable (inout AcquisitionPolicy) -> Void) -> Input {
    Input("policy") { change(&$0.manager.policy) }
  }

  /// Compares a value of the scene, such as `\.manager.estimate`.
  static func expect<Value: Equatable & Sendable>(
    _ path: any KeyPath<Scene, Value> & Sendable, _ expected: Value
  ) -> Input {
    Input("expect(\(expected))") { $0.expect($0[keyPath: path], expected) }
  }
}

/// Builds a table from rows and from loops over rows.
@resultBuilder
enum Table {
  static func buildExpression<Row>(_ row: Row) -> [Row] { [row] }
  static func buildBlock<Row>(_ rows: [Row]...) -> [Row] { rows.flatMap(\.self) }
  static func buildArray<Row>(_ rows: [[Row]]) -> [Row] { rows.flatMap(\.self) }
}

precedencegroup ReceivingPrecedence {
  lowerThan: TernaryPrecedence
}
infix operator => : ReceivingPrecedence
