#if LOCOKIT_STAND_INS
  import CoreLocation
  import Foundation
  import Testing

  @testable import LocoKit
  @testable import TestSupport

  /// A behavior of a manager on a ``StandInDevice``, which replaces Core Location.
  ///
  /// ```swift
  /// PhoneBehavior("Unknown locations don't end an acquisition before the time limit", in: .acquiring,
  ///   .fixes { $0 > 12 ? 8 : nil }, .wait(11), .wait(3) => "-updating, waitingSignificantChange, didUpdate 8")
  /// ```
  ///
  /// The text after `=>` has the callbacks of a ``Recorder``, with the new state for a transition; the services that the device turned
  /// on and off (`+updating`), and the requests for one fix (`request`); the prompts (`prompt`, `fullAccuracyPrompt`); and `openSettings`.
  /// They are in order, but between two callbacks `openSettings` comes first, then the services, then the prompts. `request ×3` stands for
  /// three in a row. Nothing else happens, except changes of the circumstances.
  typealias PhoneBehavior = Row<PhoneScene>

  extension Row where Scene == PhoneScene {
    enum Start: Sendable {
      /// A manager that has done nothing.
      case launched
      /// A manager that waits for a significant change, with Always, after a first location and the cool-down.
      case asleep
      /// A manager with an error bound of 500 m, which waits in the background after a first location, with Always.
      case bounded
      /// A manager in its first acquisition, by default with Always.
      case acquiring
      /// A manager that has done nothing, on a platform that delivers one fix for each request and wakes no app, with While Using.
      case withRequests
    }

    /// - Parameters:
    ///   - answers: The user's answers to the prompts, in order. Like `permission`, they have an effect only in `launched` and `acquiring`.
    ///   - configure: Changes the configuration of the provider. Has no effect in `asleep` and `withRequests`.
    init(
      _ name: String, in start: Start = .launched, permission: CoreLocationProvider.Permission = .always,
      answers: [StandInDevice.Answer] = [.allowWhileUsing, .keepOnlyWhileUsing],
      configure: @escaping @Sendable (inout CoreLocationProvider.Configuration) -> Void = { _ in },
      _ inputs: Input<Scene>..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
      self.init(name, inputs) {
        PhoneScene(sourceLocation) { store, openSettings in
          switch start {
          case .asleep: return .asleep(store: store)
          case .bounded: return .bounded(store: store, configure: configure)
          case .withRequests: return .withoutMuch()
          case .launched, .acquiring:
            let phone = Phone(permission, answers: answers, store: store) {
              $0.onRequestWhenDenied = openSettings
              configure(&$0)
            }
            guard start == .acquiring else { return phone }
            phone.manager.tryPromptAuthorization()
            phone.device.advance(by: 2.5)
            #expect(phone.manager.state == .acquiring)
            return phone
          }
        }
      }
    }
  }

  /// A phone, and the events since the last input.
  final class PhoneScene: Stage {
    private final class Log {
      var events: [String] = []
    }

    private(set) var phone: Phone
    /// The store of the managers of all launches.
    fileprivate let store = MemoryStore()
    private let log = Log()
    let sourceLocation: SourceLocation
    var step = ""
    private(set) var hasEnded = false
    /// How many of the device's events the log contains.
    private var seen: (switches: Int, prompts: Int, fullAccuracyPrompts: Int)

    var device: StandInDevice { phone.device }
    var manager: LocationManager { phone.manager }

    fileprivate init(
      _ sourceLocation: SourceLocation, _ makePhone: (MemoryStore, _ openSettings: @escaping () -> Void) -> Phone
    ) {
      self.sourceLocation = sourceLocation
      phone = makePhone(store) { [log] in log.events.append("openSettings") }
      let device = phone.device
      seen = (device.switches.count, device.promptsShown, device.fullAccuracyPromptsShown)
      observe()
    }

    fileprivate func end() {
      device.terminate()
      hasEnded = true
    }

    /// Launches the app, with a manager that has done nothing.
    fileprivate func launch() {
      if !hasEnded { end() }
      phone.recorder.onCall = nil
      phone = Phone(device: device, store: store)
      hasEnded = false
      observe()
    }

    private func observe() {
      _ = phone.recorder.take()
      phone.recorder.onCall = { [unowned self] _, call in
        guard call != "didChangeCircumstances" else { return }
        noteDevice()
        log.events.append(call.split(separator: ">").last.map(String.init) ?? "")
      }
    }

    private func noteDevice() {
      log.events += device.switches.dropFirst(seen.switches)
      log.events += Array(repeating: "prompt", count: device.promptsShown - seen.prompts)
      log.events += Array(
        repeating: "fullAccuracyPrompt", count: device.fullAccuracyPromptsShown - seen.fullAccuracyPrompts)
      seen = (device.switches.count, device.promptsShown, device.fullAccuracyPromptsShown)
    }

    /// Returns the events since the last input, with the number of equal ones in a row.
    func takeEvents() -> [String] {
      noteDevice()
      defer { log.events = [] }
      let runs: [(event: String, count: Int)] = log.events.reduce(into: []) { runs, event in
        if runs.last?.event == event { runs[runs.count - 1].count += 1 } else { runs.append((event, 1)) }
      }
      return runs.map { $0.count == 1 ? $0.event : "\($0.event) ×\($0.count)" }
    }

    /// The services that are on although the state needs none of them. Empty if the app has ended, or is suspended and can't turn them off.
    private var unexpectedServices: [String] {
      guard !device.isSuspended, !hasEnded else { return [] }
      var services: [String] = []
      if manager.state != .acquiring, device.isUpdating || device.isRequesting { services.append("GPS") }
      if ![.acquiring, .waitingSignificantChange].contains(manager.state) {
        if device.isMonitoringSignificantChanges { services.append("significant changes") }
        if device.isMonitoringVisits { services.append("visits") }
        // A launch that hasn't used locations keeps an earlier launch's region.
        if manager.state != .initial, !device.regions.isEmpty { services.append("region") }
      }
      return services
    }

    func checkState() { expect(unexpectedServices, []) }
  }

  extension Input where Scene == PhoneScene {
    // MARK: - The app

    static var track: Input {
      Input("track") {
        _ = $0.manager.demand(.every(TrackFilter(desiredAccuracy: 100)))
      }
    }
    /// Ends the app. An event that would launch it sets the device's `launchReason`; ``launch`` creates the next manager.
    static var end: Input { Input("end") { $0.end() } }
    /// Ends the app if it runs, and launches it. The new manager uses the store of the earlier one.
    static var launch: Input { Input("launch") { $0.launch() } }
    static func storedPause(_ isPaused: Bool) -> Input {
      Input("storedPause(\(isPaused))") { $0.store.isPaused = isPaused }
    }

    // MARK: - Calls to the provider and to Core Location

    static func mode(_ mode: ReceiverMode) -> Input {
      Input("mode(\(mode))") { $0.phone.provider.setMode(mode) }
    }
    static var startUpdating: Input { Input("startUpdating") { $0.phone.core.startUpdatingLocation() } }
    static var startChanges: Input {
      Input("startChanges") {
        $0.phone.changes.startMonitoringSignificantLocationChanges()
      }
    }
    static var stopChanges: Input {
      Input("stopChanges") { $0.phone.changes.stopMonitoringSignificantLocationChanges() }
    }

    // MARK: - The user

    static func foreground(_ isInForeground: Bool) -> Input {
      Input("foreground(\(isInForeground))") { $0.device.isInForeground = isInForeground }
    }

    static func settings(_ status: CLAuthorizationStatus) -> Input {
      Input("settings(\(status.rawValue))") { $0.device.setStatus(status) }
    }

    /// The switch for all apps.
    static func globalSwitch(_ isOn: Bool) -> Input {
      Input("globalSwitch(\(isOn))") { $0.device.setGloballyOn(isOn) }
    }

    static func accuracy(_ accuracy: CLAccuracyAuthorization) -> Input {
      Input("accuracy(\(accuracy.rawValue))") { $0.device.setAccuracy(accuracy) }
    }

    static var refusesFullAccuracy: Input { Input("refusesFullAccuracy") { $0.device.givesFullAccuracy = false } }

    static func secondPrompt(_ answer: StandInDevice.Answer) -> Input {
      Input("secondPrompt(\(answer))") { $0.device.answerSecondPrompt(answer) }
    }

    // MARK: - The device

    static func wait(_ seconds: Double) -> Input {
      Input("wait(\(seconds))") { $0.device.advance(by: seconds) }
    }

    /// The accuracy of the receiver's fix in each second after its start; `nil` if it finds none.
    static func fixes(_ accuracy: @escaping @Sendable (_ second: Int) -> Double?) -> Input {
      Input("fixes") { scene in
        let phone = scene.phone
        scene.device.fixes = { second in accuracy(second).map { phone.fix($0) } }
      }
    }

    static var noFixes: Input { fixes { _ in nil } }

    /// Delivers fixes in one batch, with their accuracies and ages.
    static func deliver(_ fixes: (accuracy: Double, age: Double)...) -> Input {
      Input("deliver") { scene in
        scene.device.deliver(fixes.map { scene.phone.fix($0.accuracy, age: $0.age) })
      }
    }

    static func fail(_ code: CLError.Code, times: Int = 1) -> Input {
      Input("fail(\(code.rawValue))") { for _ in 0..<times { $0.device.failNow(code) } }
    }

    /// Moves the device for the monitoring of significant changes only, to north of its start, in metres: see `StandInDevice.move(to:)`.
    static func move(_ north: Double) -> Input {
      Input("move(\(north))") { $0.device.move(to: $0.phone.fix(500, north: north)) }
    }

    /// Moves the device north of its start, in metres, and waits long enough for the exit from a region to be reported.
    static func carry(_ north: Double) -> Input {
      Input("carry(\(north))") {
        $0.device.carry(to: $0.phone.fix(8, north: north))
        $0.device.advance(by: 60)
      }
    }

    /// The end of a visit.
    static var depart: Input { Input("depart") { $0.device.depart() } }
    static var stopAllRegions: Input { Input("stopAllRegions") { $0.device.stopAllRegions() } }

    static var suspend: Input { Input("suspend") { $0.device.suspend() } }
    static var wake: Input { Input("wake") { $0.device.resume() } }
    static func clock(_ offset: Double) -> Input {
      Input("clock(\(offset))") { $0.device.clockOffset = offset }
    }
    static func requestDuration(_ seconds: Double) -> Input {
      Input("requestDuration(\(seconds))") { $0.device.requestDuration = seconds }
    }

    /// The system pauses the updates: only if the app allows it, or although the app doesn't.
    static func pauseUpdates(ifAllowed: Bool) -> Input {
      Input("pauseUpdates") { ifAllowed ? $0.device.pauseAutomatically() : $0.device.pauseAnyway() }
    }
  }
#endif
