#if LOCOKIT_STAND_INS
  import CoreLocation
  import Foundation
  import Testing

  @testable import LocoKit
  @testable import TestSupport

  /// A behavior of a manager as a row of a table, on a ``StandInDevice``, which replaces Core Location: how the manager starts, its inputs,
  /// and everything that the manager and the device do after each input.
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
  struct PhoneBehavior: Sendable, CustomTestStringConvertible {
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

    let name: String
    private let inputs: [PhoneInput]
    private let makePhone: @Sendable (MemoryStore, _ openSettings: @escaping () -> Void) -> Phone
    private let sourceLocation: SourceLocation

    /// - Parameters:
    ///   - answers: The user's answers to the prompts, in order. Like `permission`, they have an effect only in `launched` and `acquiring`.
    ///   - configure: Changes the configuration of the provider. Has no effect in `asleep` and `withRequests`.
    init(
      _ name: String, in start: Start = .launched, permission: CoreLocationProvider.Permission = .always,
      answers: [StandInDevice.Answer] = [.allowWhileUsing, .keepOnlyWhileUsing],
      configure: @escaping @Sendable (inout CoreLocationProvider.Configuration) -> Void = { _ in },
      _ inputs: PhoneInput..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
      self.name = name
      self.inputs = inputs
      self.sourceLocation = sourceLocation
      makePhone = { store, openSettings in
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

    var testDescription: String { "\"\(name)\"" }

    /// Gives the inputs to a manager, and compares what follows each of them.
    func check() {
      let scene = PhoneScene(makePhone, sourceLocation)
      for (index, input) in inputs.enumerated() {
        scene.step = "input \(index + 1), \(input.description)"
        input.give(scene)
        scene.expect(scene.takeEvents().joined(separator: ", "), input.received)
        scene.expect(scene.unexpectedServices, [])
      }
    }
  }

  /// A phone, and the events since the last input.
  final class PhoneScene {
    private final class Log {
      var events: [String] = []
    }

    private(set) var phone: Phone
    /// The store of the managers of all launches.
    fileprivate let store = MemoryStore()
    private let log = Log()
    private let sourceLocation: SourceLocation
    /// The number and the name of the current input.
    fileprivate var step = ""
    private(set) var hasEnded = false
    /// How many of the device's events the log contains.
    private var seen: (switches: Int, prompts: Int, fullAccuracyPrompts: Int)

    var device: StandInDevice { phone.device }
    var manager: LocationManager { phone.manager }

    fileprivate init(
      _ makePhone: (MemoryStore, _ openSettings: @escaping () -> Void) -> Phone, _ sourceLocation: SourceLocation
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
    fileprivate func takeEvents() -> [String] {
      noteDevice()
      defer { log.events = [] }
      let runs: [(event: String, count: Int)] = log.events.reduce(into: []) { runs, event in
        if runs.last?.event == event { runs[runs.count - 1].count += 1 } else { runs.append((event, 1)) }
      }
      return runs.map { $0.count == 1 ? $0.event : "\($0.event) ×\($0.count)" }
    }

    /// The services that are on although the state needs none of them. Empty if the app has ended, or is suspended and can't turn them off.
    fileprivate var unexpectedServices: [String] {
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

    fileprivate func expect<Value: Equatable>(_ value: Value, _ expected: Value) {
      #expect(value == expected, "\(step)", sourceLocation: sourceLocation)
    }
  }

  /// Something that happens to a phone.
  struct PhoneInput: Sendable {
    let description: String
    fileprivate var received = ""
    fileprivate let give: @Sendable (PhoneScene) -> Void

    private init(_ description: String, _ give: @escaping @Sendable (PhoneScene) -> Void) {
      self.description = description
      self.give = give
    }

    /// Adds what follows the input, separated by ", ".
    static func => (input: PhoneInput, received: String) -> PhoneInput {
      var input = input
      input.received = received
      return input
    }

    // MARK: - The app

    static let prompt = PhoneInput("prompt") { $0.manager.tryPromptAuthorization() }
    static let forcePrompt = PhoneInput("forcePrompt") { $0.manager.forcePromptAuthorization() }
    static let pause = PhoneInput("pause") { $0.manager.pause() }
    static let resume = PhoneInput("resume") { $0.manager.resume() }
    static let force = PhoneInput("force") { $0.manager.forceAcquireLocation() }
    static let track = PhoneInput("track") {
      _ = $0.manager.demand(.every(TrackFilter(desiredAccuracy: 100)))
    }
    static func bound(_ bound: Double?) -> PhoneInput { PhoneInput("bound") { $0.manager.errorBound = bound } }
    static func policy(_ policy: AcquisitionPolicy) -> PhoneInput {
      PhoneInput("policy") { $0.manager.policy = policy }
    }

    /// Ends the app. An event that would launch it sets the device's `launchReason`; ``launch`` creates the next manager.
    static let end = PhoneInput("end") { $0.end() }
    /// Ends the app if it runs, and launches it. The new manager uses the store of the earlier one.
    static let launch = PhoneInput("launch") { $0.launch() }
    static func storedPause(_ isPaused: Bool) -> PhoneInput {
      PhoneInput("storedPause(\(isPaused))") { $0.store.isPaused = isPaused }
    }

    // MARK: - Calls to the provider and to Core Location

    static func mode(_ mode: ReceiverMode) -> PhoneInput {
      PhoneInput("mode(\(mode))") { $0.phone.provider.setMode(mode) }
    }
    static let startUpdating = PhoneInput("startUpdating") { $0.phone.core.startUpdatingLocation() }
    static let startChanges = PhoneInput("startChanges") {
      $0.phone.changes.startMonitoringSignificantLocationChanges()
    }
    static let stopChanges = PhoneInput("stopChanges") { $0.phone.changes.stopMonitoringSignificantLocationChanges() }

    // MARK: - The user

    static func foreground(_ isInForeground: Bool) -> PhoneInput {
      PhoneInput("foreground(\(isInForeground))") { $0.device.isInForeground = isInForeground }
    }

    static func settings(_ status: CLAuthorizationStatus) -> PhoneInput {
      PhoneInput("settings(\(status.rawValue))") { $0.device.setStatus(status) }
    }

    /// The switch for all apps.
    static func globalSwitch(_ isOn: Bool) -> PhoneInput {
      PhoneInput("globalSwitch(\(isOn))") { $0.device.setGloballyOn(isOn) }
    }

    static func accuracy(_ accuracy: CLAccuracyAuthorization) -> PhoneInput {
      PhoneInput("accuracy(\(accuracy.rawValue))") { $0.device.setAccuracy(accuracy) }
    }

    static let refusesFullAccuracy = PhoneInput("refusesFullAccuracy") { $0.device.givesFullAccuracy = false }

    static func secondPrompt(_ answer: StandInDevice.Answer) -> PhoneInput {
      PhoneInput("secondPrompt(\(answer))") { $0.device.answerSecondPrompt(answer) }
    }

    // MARK: - The device

    static func wait(_ seconds: Double) -> PhoneInput {
      PhoneInput("wait(\(seconds))") { $0.device.advance(by: seconds) }
    }

    /// The accuracy of the receiver's fix in each second after its start; `nil` if it finds none.
    static func fixes(_ accuracy: @escaping @Sendable (_ second: Int) -> Double?) -> PhoneInput {
      PhoneInput("fixes") { scene in
        let phone = scene.phone
        scene.device.fixes = { second in accuracy(second).map { phone.fix($0) } }
      }
    }

    static let noFixes = fixes { _ in nil }

    /// Delivers fixes in one batch, with their accuracies and ages.
    static func deliver(_ fixes: (accuracy: Double, age: Double)...) -> PhoneInput {
      PhoneInput("deliver") { scene in
        scene.device.deliver(fixes.map { scene.phone.fix($0.accuracy, age: $0.age) })
      }
    }

    static func fail(_ code: CLError.Code, times: Int = 1) -> PhoneInput {
      PhoneInput("fail(\(code.rawValue))") { for _ in 0..<times { $0.device.failNow(code) } }
    }

    /// Moves the device for the monitoring of significant changes only, to north of its start, in metres: see `StandInDevice.move(to:)`.
    static func move(_ north: Double) -> PhoneInput {
      PhoneInput("move(\(north))") { $0.device.move(to: $0.phone.fix(500, north: north)) }
    }

    /// Moves the device north of its start, in metres, and waits long enough for the exit from a region to be reported.
    static func carry(_ north: Double) -> PhoneInput {
      PhoneInput("carry(\(north))") {
        $0.device.carry(to: $0.phone.fix(8, north: north))
        $0.device.advance(by: 60)
      }
    }

    /// The end of a visit.
    static let depart = PhoneInput("depart") { $0.device.depart() }
    static let stopAllRegions = PhoneInput("stopAllRegions") { $0.device.stopAllRegions() }

    static let suspend = PhoneInput("suspend") { $0.device.suspend() }
    static let wake = PhoneInput("wake") { $0.device.resume() }
    static func clock(_ offset: Double) -> PhoneInput {
      PhoneInput("clock(\(offset))") { $0.device.clockOffset = offset }
    }
    static func requestDuration(_ seconds: Double) -> PhoneInput {
      PhoneInput("requestDuration(\(seconds))") { $0.device.requestDuration = seconds }
    }

    /// The system pauses the updates: only if the app allows it, or although the app doesn't.
    static func pauseUpdates(ifAllowed: Bool) -> PhoneInput {
      PhoneInput("pauseUpdates") { ifAllowed ? $0.device.pauseAutomatically() : $0.device.pauseAnyway() }
    }

    // MARK: - Expectations

    /// Compares a value of the scene, such as `\.manager.state`.
    static func expect<Value: Equatable & Sendable>(
      _ path: any KeyPath<PhoneScene, Value> & Sendable, _ expected: Value
    ) -> PhoneInput {
      PhoneInput("expect(\(expected))") { $0.expect($0[keyPath: path], expected) }
    }
  }
#endif
