#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// What can be done with a receiver: one location, all of them, or a trip.
  @MainActor
  struct Uses {
    private let options: ReceiverOptions
    private let receiver: any Receiver
    private let manager: LocationManager
    private let permission = PermissionWatch()

    init(_ options: ReceiverOptions) throws {
      self.options = options
      receiver =
        switch options.source {
        case .drive(let drive): try SimulatedReceiver(drive)
        case .gpsd(let gpsd): try RealReceiver(gpsd)
        }
      manager = LocationManager(provider: receiver.provider)
      manager.listeners.add(permission)
    }

    /// One location, with the measurements on the way to it.
    func get() async throws -> ExitCode {
      manager.tryPromptAuthorization()
      let (manager, options) = (manager, options)
      let measurements = await begin {
        for await each in manager.measurements { show(each) }
      }
      var result: Result<Location, any Error>?
      let attempt = await begin {
        do {
          result = .success(
            try await manager.acquire(desiredAccuracy: options.desiredAccuracy, timeout: options.timeout))
        } catch {
          result = .failure(error)
        }
      }
      let code = await receiver.run { result != nil }
      attempt.cancel()
      _ = await attempt.result
      measurements.cancel()
      await measurements.value
      if case .success(let location) = result {
        Output.standard.write(options.isJSON ? Self.json(location) : text(location))
        return .done
      }
      try Output.standard.check()
      try checkPermission(code)
      if case .failure(let error) = result, !(error is CancellationError) {
        Output.error.write("LocoKitDemo: \(error)\n")
      } else {
        Output.error.write("LocoKitDemo: it ended before there was a location.\n")
      }
      return code == .done ? .temporary : code
    }

    /// Every location.
    func track() async throws -> ExitCode {
      manager.tryPromptAuthorization()
      if let conditions = options.conditions { return try await track(in: conditions) }
      let (manager, options) = (manager, options)
      let counter = LocationCounter()
      manager.listeners.add(counter)
      var printed = 0
      let tracking = await begin {
        for await location in manager.track(
          desiredAccuracy: options.desiredAccuracy, distanceFilter: options.distanceFilter)
        {
          Output.standard.write(options.isJSON ? Self.json(location) : line(location))
          printed += 1
        }
      }
      let code = await receiver.run {
        // Simulated time goes on when what came in it is printed. The listeners may hear of more than who tracks.
        for _ in 0..<100 where printed < counter.count { await Task.yield() }
        return false
      }
      tracking.cancel()
      await tracking.value
      try checkPermission(code)
      return code
    }

    /// As a power policy decides.
    private func track(in conditions: PowerController.Policy.Conditions) async throws -> ExitCode {
      // Each that is far enough from the last, where TTLocationHandler gave an accurate one a minute.
      let controller = PowerController(
        manager, source: PowerController.Source(conditions), acceptance: AcceptancePolicy(holdTime: .zero))
      controller.isWalking = options.isWalking
      let printer = LocationPrinter { Output.standard.write(options.isJSON ? Self.json($0) : line($0)) }
      manager.listeners.add(printer)
      if !options.isJSON {
        switch controller.decision {
        case .significantChanges: Output.standard.write("the power policy: asleep between significant changes\n")
        case .continuous(let metres):
          Output.standard.write("the power policy: every \(Int(metres)) m, or farther when fast\n")
        }
      }
      defer { withExtendedLifetime((controller, printer)) {} }
      let code = await receiver.run { false }
      try checkPermission(code)
      return code
    }

    /// A trip from beginning to end.
    func trip() async throws -> ExitCode {
      let trip = TripRecorder(manager)
      let hearer = TripHearer(isQuiet: options.isJSON)
      trip.listeners.add(hearer)
      manager.tryPromptAuthorization()
      trip.start()
      let code = await receiver.run { false }
      trip.stop()
      if options.isJSON {
        Output.standard.write(
          "{\"distanceMeters\":\((trip.distance * 10).rounded() / 10),\"durationSeconds\":"
            + "\(trip.duration.seconds.rounded())}\n")
      } else {
        Output.standard.write(
          "\ndistance       \(trip.distance.oneDecimal) m\nduration       \(trip.duration.seconds.clock)\n"
            + "signal         \(trip.signalStrength.rawValue) at the end\n")
      }
      try checkPermission(code)
      return code
    }

    /// Says so where nothing came because nothing was allowed, unless something else ended the program before.
    private func checkPermission(_ code: ExitCode) throws {
      guard code == .done, Output.standard.isOpen, !permission.wasGranted, !manager.authorization.isAuthorized else {
        return
      }
      throw Failure(
        code: .noPermission,
        message: manager.authorization == .notDetermined
          ? "the permission was never given: the prompt was not answered." : "the permission was refused.")
    }

    private func show(_ each: LocationManager.JudgedFix) {
      guard !options.isJSON else { return }
      let verdict =
        switch each.verdict {
        case .candidate, .acquired:
          each.fix.horizontalAccuracy <= options.desiredAccuracy ? "good enough" : "the best so far"
        case .rejected(let reason): "refused: \(reason.rawValue)"
        }
      Output.standard.write("\(each.fix.short)  \(verdict)\n")
    }

    private func line(_ location: Location) -> String {
      let words = location.description(at: receiver.provider.date)
      return [words.coordinate, words.accuracy, words.speed, words.course].compactMap { $0 }.joined(separator: "  ")
        + "\n"
    }

    private func text(_ location: Location) -> String {
      let words = location.description(at: receiver.provider.date)
      let rows = [
        ("place", words.coordinate), ("", words.sexagesimalCoordinate), ("accuracy", words.accuracy),
        ("altitude", words.altitude ?? "unknown"), ("speed", words.speed ?? "unknown"),
        ("course", words.course ?? "unknown"), ("age", words.age),
      ]
      return "\n"
        + rows.map { $0.padding(toLength: 15, withPad: " ", startingAt: 0) + $1 + "\n" }.joined()
    }

    private static func json(_ location: Location) -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      encoder.dateEncodingStrategy = .iso8601
      return (try? encoder.encode(location)).map { String(decoding: $0, as: UTF8.self) + "\n" } ?? ""
    }
  }

  /// A task that has begun when this returns: it waits for something, or is over.
  @MainActor
  private func begin(_ body: @escaping @MainActor () async -> Void) async -> Task<Void, Never> {
    var hasBegun = false
    let task = Task { @MainActor in
      hasBegun = true
      await body()
    }
    while !hasBegun { await Task.yield() }
    return task
  }

  /// Whether the permission was ever given; it may have been withdrawn since.
  private final class PermissionWatch: LocationManagerListener {
    private(set) var wasGranted = false
    func locationManagerDidGrantAccess(_ manager: LocationManager) { wasGranted = true }
  }

  /// Prints locations.
  private final class LocationPrinter: LocationManagerListener {
    private let print: (Location) -> Void
    init(_ print: @escaping (Location) -> Void) { self.print = print }
    func locationManager(_ manager: LocationManager, didUpdate location: Location) { print(location) }
  }

  /// Counts locations.
  private final class LocationCounter: LocationManagerListener {
    private(set) var count = 0
    func locationManager(_ manager: LocationManager, didUpdate location: Location) { count += 1 }
  }

  /// Prints what a trip recorder says.
  @MainActor
  private final class TripHearer: TripRecorderListener {
    private let isQuiet: Bool
    private var said = 0.0

    init(isQuiet: Bool) { self.isQuiet = isQuiet }

    private func say(_ recorder: TripRecorder, _ text: String) {
      guard !isQuiet else { return }
      Output.standard.write("\(recorder.duration.seconds.clock)  \(text)\n")
    }

    func tripRecorder(_ recorder: TripRecorder, didChangeDistance distance: Double) {
      // Every hundred metres: a trip is long.
      guard distance >= said + 100 || distance < said else { return }
      said = (distance / 100).rounded(.down) * 100
      say(recorder, "\(distance.oneDecimal) m")
    }

    func tripRecorder(_ recorder: TripRecorder, didChangeSignal strength: TripRecorder.SignalStrength) {
      say(recorder, "the signal is \(strength.rawValue)")
    }

    func tripRecorderDidFindSignalConsistentlyWeak(_ recorder: TripRecorder) {
      say(recorder, "the signal has been weak for long; weaker fixes count now")
    }
  }
#endif
