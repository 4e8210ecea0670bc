#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitFormatting
  import LocoKitSimulation
  import LocoKitTrips

  /// The commands `get`, `track` and `trip`.
  @MainActor
  struct ReceiverCommands {
    private let options: ReceiverOptions
    let receiver: any Receiver
    private let manager: LocationManager
    private let permission = PermissionWatch()

    init(_ options: ReceiverOptions) throws {
      self.options = options
      receiver =
        options.isReal ? try RealReceiver(options.gpsd) : try SimulatedReceiver(options.drive)
      manager = LocationManager(provider: receiver.provider)
      manager.listeners.add(permission)
    }

    /// Prints the judged fixes, and then one location.
    func get() async throws -> ExitCode {
      manager.tryPromptAuthorization()
      let (manager, options) = (manager, options)
      var result: Result<Location, any Error>?
      let judgedFixes = await begin {
        for await each in manager.judgedFixes {
          // After a timeout, the manager's own acquisition continues until the run ends.
          if case .failure = result { break }
          show(each)
        }
      }
      let attempt = await begin {
        do {
          result = .success(
            try await manager.acquire(desiredAccuracy: options.desiredAccuracy, timeout: options.timeout))
        } catch {
          result = .failure(error)
        }
      }
      let code = try await receiver.run { result != nil }
      attempt.cancel()
      _ = await attempt.result
      judgedFixes.cancel()
      await judgedFixes.value
      if case .success(let location) = result {
        Output.standard.write(options.isJSON ? Self.json(location) : text(location))
        return .done
      }
      try Output.standard.check()
      try checkPermission(code)
      if case .failure(let error) = result, !(error is CancellationError) {
        Output.error.write("LocoKitDemo: \(error)\n")
      } else {
        Output.error.write("LocoKitDemo: the run ended before a location was found.\n")
      }
      return code == .done ? .temporary : code
    }

    /// Prints every location.
    func track() async throws -> ExitCode {
      manager.tryPromptAuthorization()
      let (manager, options) = (manager, options)
      var (received, printed) = (0, 0)
      let token = manager.listeners.add(onUpdate: { _ in received += 1 })
      defer { withExtendedLifetime(token) {} }
      let tracking = await begin {
        for await location in manager.track(
          desiredAccuracy: options.desiredAccuracy, distanceFilter: options.distanceFilter)
        {
          Output.standard.write(options.isJSON ? Self.json(location) : line(location))
          printed += 1
        }
      }
      let code = try await receiver.run {
        // Locations are printed before the simulated time continues. Listeners may receive more locations than the
        // stream yields.
        for _ in 0..<100 where printed < received { await Task.yield() }
        return false
      }
      tracking.cancel()
      await tracking.value
      try checkPermission(code)
      if printed == 0 { try checkEnd(code) }
      return code
    }

    /// Records a trip until the time is over.
    func trip() async throws -> ExitCode {
      let trip = TripRecorder(manager)
      let printer = TripPrinter(isQuiet: options.isJSON)
      trip.listeners.add(printer)
      manager.tryPromptAuthorization()
      trip.start()
      let code = try await receiver.run { false }
      let hasLocation = manager.location != nil
      trip.stop()
      if options.isJSON {
        Output.standard.write(
          "{\"distanceMeters\":\((trip.distance * 10).rounded() / 10),\"durationSeconds\":"
            + "\(trip.duration.seconds.rounded())}\n")
      } else {
        let rows = [
          ("distance", "\(trip.distance.oneDecimal) m"), ("duration", trip.duration.seconds.clock),
          ("signal", "\(trip.signalStrength.rawValue) at the end"),
        ]
        Output.standard.write("\n" + table(rows))
      }
      try checkPermission(code)
      if !hasLocation { try checkEnd(code) }
      return code
    }

    /// Throws an error if the permission was never given, unless a signal or the loss of the output's reader ended the run.
    private func checkPermission(_ code: ExitCode) throws {
      guard code == .done, Output.standard.isOpen, !permission.wasGranted, !manager.authorization.isAuthorized else {
        return
      }
      throw Failure(
        code: .noPermission,
        message: manager.authorization == .notDetermined
          ? "the permission was never given: the prompt was not answered." : "the permission was denied.")
    }

    /// Throws an error because no location was found, unless a signal or the loss of the output's reader ended the run.
    private func checkEnd(_ code: ExitCode) throws {
      guard code == .done, Output.standard.isOpen else { return }
      throw Failure(code: .temporary, message: "the run ended before a location was found.")
    }

    private func show(_ each: LocationManager.JudgedFix) {
      guard !options.isJSON else { return }
      let verdict =
        switch each.verdict {
        case .candidate, .acquired:
          each.fix.horizontalAccuracy <= options.desiredAccuracy ? "good enough" : "the best so far"
        case .surpassed: "not the best"
        case .rejected(let reason): "rejected: \(reason.rawValue)"
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
      return "\n" + table(rows)
    }

    private static func json(_ location: Location) -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      encoder.dateEncodingStrategy = .custom { date, encoder in
        var container = encoder.singleValueContainer()
        try container.encode(date.textWithMilliseconds)
      }
      return (try? encoder.encode(location)).map { String(decoding: $0, as: UTF8.self) + "\n" } ?? ""
    }
  }

  /// Starts a task, and returns after the task has started.
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

  /// Records whether the permission was ever given. The user may revoke it later.
  private final class PermissionWatch: LocationManagerListener {
    private(set) var wasGranted = false
    func locationManagerDidGrantAccess(_ manager: LocationManager) { wasGranted = true }
  }

  /// Prints the events of a trip recorder.
  @MainActor
  private final class TripPrinter: TripRecorderListener {
    private let isQuiet: Bool
    private var printed = 0.0

    init(isQuiet: Bool) { self.isQuiet = isQuiet }

    private func write(_ recorder: TripRecorder, _ text: String) {
      guard !isQuiet else { return }
      Output.standard.write("\(recorder.duration.seconds.clock)  \(text)\n")
    }

    /// Prints the distance each time it reaches another multiple of 100 m or was reset.
    func tripRecorder(_ recorder: TripRecorder, didChangeDistance distance: Double) {
      guard distance >= printed + 100 || distance < printed else { return }
      printed = (distance / 100).rounded(.down) * 100
      write(recorder, "\(distance.oneDecimal) m")
    }

    func tripRecorder(_ recorder: TripRecorder, didChangeSignal strength: TripRecorder.SignalStrength) {
      write(recorder, "the signal is \(strength.rawValue)")
    }

    func tripRecorderDidFindSignalConsistentlyWeak(_ recorder: TripRecorder) {
      write(recorder, "the signal stays weak; weaker fixes count now")
    }
  }
#endif
