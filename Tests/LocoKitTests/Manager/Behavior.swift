import Foundation
import Testing

@testable import LocoKit
@testable import TestSupport

/// A behavior of a manager with a scripted provider.
///
/// ```swift
/// Behavior("A prompt without an answer expires after a minute", in: .prompted,
///   .wait(59), .wait(1) => "init, promptDidExpire")
/// ```
///
/// The text after `=>` is everything that a ``Recorder`` receives because of that input, with the new state for a transition.
typealias Behavior = Row<Scene>

extension Row where Scene == LocoKitTests.Scene {
  /// - Parameter commands: The expected modes and requests that the provider receives, in order; `nil` if any are allowed.
  init(
    _ name: String, in state: LocationMachine.State, authorization: Authorization = .notDetermined,
    policy: AcquisitionPolicy? = nil, sources: Sources = .changes, stored: Double? = nil,
    _ inputs: Input<Scene>..., commands: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let end = commands.map { commands in [Input<Scene>("commands") { $0.expect($0.commands, commands) }] } ?? []
    self.init(name, inputs + end) {
      Scene(
        Fixture(
          in: state, authorization: authorization, policy: policy, sources: sources.kinds, updates: sources.updates,
          stored: stored), sourceLocation)
    }
  }
}

extension Input where Scene == LocoKitTests.Scene {
  // MARK: - Reports

  static func report(_ report: ProviderReport) -> Input { Input("report(\(report))") { $0.provider.report(report) } }

  static var promptShown: Input { report(.promptShown) }
  static var timer: Input { report(.timer) }

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
  static var change: Input { report(.significantChange(nil)) }

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

  static var waitForTimer: Input { Input("waitForTimer") { $0.provider.passUntilTimer() } }

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
  static var cancel: Input {
    Input("cancel") {
      $0.acquisitions[0].cancel()
      await Input.throws("CancellationError").give($0)
    }
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
  static var cancelTracking: Input { Input("cancelTracking") { $0.consumers[0].cancel() } }
}

/// A fixture with the tasks that a behavior has begun.
final class Scene: Stage {
  var step = ""
  fileprivate var acquisitions: [Attempt<Location>] = []
  fileprivate var consumers: [Attempt<[Location]>] = []
  private let fixture: Fixture
  let sourceLocation: SourceLocation
  /// The number of commands that the provider received before the first input.
  private let earlier: Int

  var manager: LocationManager { fixture.manager }
  var provider: ScriptedProvider { fixture.provider }
  var recorder: Recorder { fixture.recorder }
  fileprivate var commands: String { provider.commands.dropFirst(earlier).joined(separator: ", ") }

  fileprivate init(_ fixture: Fixture, _ sourceLocation: SourceLocation) {
    (self.fixture, self.sourceLocation) = (fixture, sourceLocation)
    earlier = fixture.provider.commands.count
    checkCallbacks()
  }

  func takeEvents() -> [String] { recorder.take().map { String($0.split(separator: ">").last ?? "") } }

  func checkState() { expect(provider.mode, manager.state.mode) }

  /// Checks at each callback that the manager has its new state and location, that the GPS is set for the state, and that the
  /// provider has reported the location.
  private func checkCallbacks() {
    var state = manager.state
    recorder.onCall = { [unowned self] manager, call in
      let input = step
      step += ", \(call)"
      defer { step = input }
      let states = call.split(separator: ">").compactMap { LocationMachine.State(rawValue: String($0)) }
      expect(states.first ?? state, state)
      state = states.last ?? state
      expect(manager.state, state)
      expect(provider.mode, state.mode)
      guard call.hasPrefix("didUpdate"), let location = manager.location else { return }
      expect(location, recorder.locations.last)
      let reported = provider.reported.last {
        $0.timestamp == location.timestamp && $0.distance(to: location) == 0
      }
      expect(reported?.horizontalAccuracy, location.horizontalAccuracy)
    }
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
