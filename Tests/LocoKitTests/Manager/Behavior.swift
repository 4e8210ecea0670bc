import Foundation
import Testing

@testable import LocoKit
@testable import TestSupport

/// A behavior of a manager as a row of a table: the initial state, the inputs, and the callbacks.
///
/// ```swift
/// Behavior("A prompt without an answer expires after a minute", in: .prompted,
///   .wait(59), .wait(1) => "init, promptDidExpire")
/// ```
///
/// The text after `=>` is everything that a ``Recorder`` receives because of that input, with the new state for a transition. An
/// input without `=>` causes no callback.
struct Behavior: Sendable, CustomTestStringConvertible {
  let name: String
  private let makeFixture: @Sendable () -> Fixture
  private let inputs: [Input]
  private let commands: String?
  private let sourceLocation: SourceLocation

  /// - Parameter commands: The expected modes and requests that the provider receives, in order; `nil` if any are allowed.
  init(
    _ name: String, in state: LocationMachine.State, authorization: Authorization = .notDetermined,
    policy: AcquisitionPolicy? = nil, sources: Sources = .changes, stored: Double? = nil,
    _ inputs: Input..., commands: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    self.name = name
    self.inputs = inputs
    self.commands = commands
    self.sourceLocation = sourceLocation
    makeFixture = {
      Fixture(
        in: state, authorization: authorization, policy: policy, sources: sources.kinds, updates: sources.updates,
        stored: stored)
    }
  }

  var testDescription: String { "\"\(name)\"" }

  /// Gives a manager the inputs, and compares the recorder's callbacks and the provider's commands with the expected ones.
  @MainActor
  func check() async {
    let scene = Scene(makeFixture(), sourceLocation)
    let earlier = scene.provider.commands.count
    checkCallbacks(of: scene)
    for (index, input) in inputs.enumerated() {
      scene.step = "input \(index + 1), \(input)"
      await input.give(scene)
      let received = scene.recorder.take().map { $0.split(separator: ">").last ?? "" }
      scene.expect(received.joined(separator: ", "), input.received)
      scene.expect(scene.provider.mode, scene.manager.state.mode)
    }
    scene.step = "commands"
    if let commands { scene.expect(scene.provider.commands.dropFirst(earlier).joined(separator: ", "), commands) }
  }

  /// Checks at each callback that the manager has its new state and location, that the GPS is set for the state, and that the
  /// provider has reported the location.
  private func checkCallbacks(of scene: Scene) {
    var state = scene.manager.state
    scene.recorder.onCall = { [unowned scene] manager, call in
      let step = scene.step
      scene.step += ", \(call)"
      defer { scene.step = step }
      let states = call.split(separator: ">").compactMap { LocationMachine.State(rawValue: String($0)) }
      scene.expect(states.first ?? state, state)
      state = states.last ?? state
      scene.expect(manager.state, state)
      scene.expect(scene.provider.mode, state.mode)
      guard call.hasPrefix("didUpdate"), let location = manager.location else { return }
      scene.expect(location, scene.recorder.locations.last)
      let reported = scene.provider.reported.last {
        $0.timestamp == location.timestamp && $0.distance(to: location) == 0
      }
      scene.expect(reported?.horizontalAccuracy, location.horizontalAccuracy)
    }
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

/// A step of a behavior, such as a command, a report, the passing of time, or a comparison.
struct Input: Sendable, CustomStringConvertible {
  let description: String
  fileprivate var received = ""
  fileprivate let give: @MainActor @Sendable (Scene) async -> Void

  private init(_ description: String, _ give: @escaping @MainActor @Sendable (Scene) async -> Void) {
    self.description = description
    self.give = give
  }

  /// Adds what listeners receive because of the input, separated by ", ".
  static func => (input: Input, received: String) -> Input {
    var input = input
    input.received = received
    return input
  }

  // MARK: - Commands

  static let prompt = Input("prompt") { $0.manager.tryPromptAuthorization() }
  static let forcePrompt = Input("forcePrompt") { $0.manager.forcePromptAuthorization() }
  static let pause = Input("pause") { $0.manager.pause() }
  static let resume = Input("resume") { $0.manager.resume() }
  static let force = Input("force") { $0.manager.forceAcquireLocation() }

  static func policy(_ change: @escaping @Sendable (inout AcquisitionPolicy) -> Void) -> Input {
    Input("policy") { change(&$0.manager.policy) }
  }

  static func bound(_ bound: Double?) -> Input { Input("bound(\(bound ?? .nan))") { $0.manager.errorBound = bound } }

  // MARK: - Reports

  static func report(_ report: ProviderReport) -> Input { Input("report(\(report))") { $0.provider.report(report) } }

  static let promptShown = report(.promptShown)
  static let timer = report(.timer)

  /// The answer to a prompt, or a change in the settings.
  static func decide(_ authorization: Authorization) -> Input {
    Input("decide(\(authorization))") { $0.provider.decide(authorization) }
  }

  /// A change of the permission that isn't reported.
  static func permission(_ authorization: Authorization) -> Input {
    Input("permission(\(authorization))") { $0.provider.authorization = authorization }
  }

  static func battery(_ level: Double?, _ state: LocationManager.BatteryStatus.State?) -> Input {
    .report(.battery(LocationManager.BatteryStatus(level: level, state: state)))
  }

  /// A fix north of the others, in metres.
  static func fix(
    _ accuracy: Double, age: Double = 0, north: Double = 0, altitude: Double? = nil, speed: Double? = nil,
    source: Location.Source = .gps
  ) -> Input {
    Input("fix(\(accuracy))") { scene in
      var fix = scene.location(accuracy, age, north, source)
      (fix.altitude, fix.speed, fix.course) = (altitude, speed, speed.map { _ in 0 })
      scene.provider.report(.fixes([fix]))
    }
  }

  /// One report of several fixes, with their accuracies and ages.
  static func fixes(_ fixes: (accuracy: Double, age: Double)...) -> Input {
    Input("fixes") { scene in
      scene.provider.report(.fixes(fixes.map { scene.provider.location($0.accuracy, age: $0.age) }))
    }
  }

  /// A significant change without a location.
  static let change = report(.significantChange(nil))

  static func change(
    _ accuracy: Double, age: Double = 0, north: Double = 0, source: Location.Source = .gps
  ) -> Input {
    Input("change(\(accuracy))") { $0.provider.report(.significantChange($0.location(accuracy, age, north, source))) }
  }

  static func failure(_ failure: ProviderReport.Failure) -> Input { report(.failure(failure)) }
  static func errors(_ count: Int) -> Input { times(count, failure(.other("x"))) }

  // MARK: - Time

  static func wait(_ seconds: Double, timerFires: Bool = true) -> Input {
    Input("wait(\(seconds))") { $0.provider.pass(seconds, timerFires: timerFires) }
  }

  static let waitForTimer = Input("waitForTimer") { $0.provider.passUntilTimer() }

  static func setClock(_ seconds: Double) -> Input { Input("setClock(\(seconds))") { $0.provider.date += seconds } }

  /// Gives inputs several times.
  static func times(_ count: Int, _ inputs: Input...) -> Input {
    Input("times(\(count))") { scene in
      for _ in 0..<count { for input in inputs { await input.give(scene) } }
    }
  }

  // MARK: - Acquiring

  /// A task that acquires a location and waits for it.
  static func acquire(_ accuracy: Double = 100, maximumAge: Double = 0, within seconds: Double = 30) -> Input {
    Input("acquire(\(accuracy))") { scene in
      let manager = scene.manager
      await scene.acquisitions.append(
        begin {
          try await manager.acquire(
            desiredAccuracy: accuracy, maximumAge: .seconds(maximumAge), timeout: .seconds(seconds))
        })
    }
  }

  /// Expects the oldest task that acquires to return a location of this accuracy.
  static func returns(_ accuracy: Double) -> Input {
    Input("returns(\(accuracy))") {
      $0.expect(try? await $0.acquisitions.removeFirst().value.horizontalAccuracy, accuracy)
    }
  }

  /// Expects the oldest task that acquires to throw this error, as text.
  static func `throws`(_ failure: String) -> Input {
    Input("throws(\(failure))") { scene in
      do {
        scene.expect("\(try await scene.acquisitions.removeFirst().value)", failure)
      } catch {
        scene.expect((error as? AcquisitionFailure).map(Recorder.text) ?? "\(type(of: error))", failure)
      }
    }
  }

  /// Cancels the oldest task that acquires, and waits for its end.
  static let cancel = Input("cancel") {
    $0.acquisitions[0].cancel()
    await Input.throws("CancellationError").give($0)
  }

  // MARK: - Tracking

  /// A task that tracks until it has a number of locations.
  static func track(_ accuracy: Double = 100, filter: Double = 0, first count: Int = .max) -> Input {
    Input("track(\(accuracy))") { scene in
      let manager = scene.manager
      await scene.track(manager.track(desiredAccuracy: accuracy, distanceFilter: filter), count)
    }
  }

  static func track(accepting policy: TrackingPolicy, first count: Int = .max) -> Input {
    Input("track(accepting:)") { scene in
      let manager = scene.manager
      await scene.track(manager.track(accepting: policy), count)
    }
  }

  /// Expects the oldest task that tracks to end with locations of these accuracies.
  static func tracked(_ accuracies: Double...) -> Input {
    Input("tracked(\(accuracies))") {
      $0.expect(try? await $0.consumers.removeFirst().value.map(\.horizontalAccuracy), accuracies)
    }
  }

  /// Cancels the oldest task that tracks. To wait for the task's end, add ``tracked(_:)``.
  static let cancelTracking = Input("cancelTracking") { $0.consumers[0].cancel() }

  // MARK: - Expectations

  /// Compares a value of the scene, such as `\.manager.estimate`.
  static func expect<Value: Equatable & Sendable>(
    _ path: any KeyPath<Scene, Value> & Sendable, _ expected: Value
  ) -> Input {
    Input("expect(\(expected))") { $0.expect($0[keyPath: path], expected) }
  }
}

/// A fixture with the tasks that a behavior has begun.
final class Scene {
  fileprivate var step = ""
  fileprivate var acquisitions: [Attempt<Location>] = []
  fileprivate var consumers: [Attempt<[Location]>] = []
  private let fixture: Fixture
  private let sourceLocation: SourceLocation

  var manager: LocationManager { fixture.manager }
  var provider: ScriptedProvider { fixture.provider }
  var recorder: Recorder { fixture.recorder }

  fileprivate init(_ fixture: Fixture, _ sourceLocation: SourceLocation) {
    (self.fixture, self.sourceLocation) = (fixture, sourceLocation)
  }

  fileprivate func expect<Value: Equatable>(_ value: Value, _ expected: Value) {
    #expect(value == expected, "\(step)", sourceLocation: sourceLocation)
  }

  fileprivate func location(
    _ accuracy: Double, _ age: Double, _ north: Double, _ source: Location.Source
  ) -> Location {
    var location = provider.location(accuracy, age: age, latitude: 34.1 + north / 111_195)
    location.source = source
    return location
  }

  @MainActor
  fileprivate func track(_ tracking: LocationManager.Tracking, _ count: Int) async {
    await consumers.append(
      begin {
        var locations: [Location] = []
        for await location in tracking {
          locations.append(location)
          if locations.count == count { break }
        }
        return locations
      })
  }
}
