#if canImport(CoreLocation)
  import LocoDurable
  import CoreLocation

  /// The region as a condition of a `CLMonitor`, for all providers of a process. The provider that was created last receives the exits.
  ///
  /// Opening a monitor whose name is in use stops the program, even if the other monitor was just released, and only one loop at a time can
  /// iterate the events. So the monitor is opened once, when regions may first be used, and never closed. Iterating the events uses
  /// locations, so the system may show a prompt. Therefore the monitor isn't opened before the permission is granted.
  package final class RegionConditions: Sendable {
    /// `nil` before iOS 18 and macOS 15, where a monitor is missing or unreliable in the background, and on other platforms.
    static let shared: RegionConditions? = {
      #if os(iOS) || os(macOS) || LOCOKIT_STAND_INS
        if #available(iOS 18, macOS 15, *) { return RegionConditions() }
      #endif
      return nil
    }()

    /// The name may contain only letters and digits. Any other character stops the program.
    static let monitorName = "LocoKitLastFix"

    /// An event of the region with the number `arming`, which is 0 for a region of an earlier launch. An exit may be repeated.
    struct Report: Sendable {
      let arming: Int
      let event: RegionWatch.Event
      /// Keeps a woken app running until the provider has received the report, which releases the activity.
      private let activity = BackgroundActivity("Handling an event of a region")
    }

    private struct State {
      var isOpen = false
      var armings = 0
      var listener: AsyncStream<Report>.Continuation?
    }

    private enum Command {
      /// The activity keeps the app running until the condition is added.
      case arm(number: Int, Location.Region?, BackgroundActivity?)
      /// Checks whether the condition of an arming still exists.
      case check(Int)
    }

    private let state = Locked(State())
    private let commands = AsyncStream.makeStream(of: Command.self)
    private let pause: @Sendable (_ length: Duration) async -> Void

    /// - Parameter pause: Waits before the events are iterated again.
    init(pause: @escaping @Sendable (_ length: Duration) async -> Void = { try? await Task.sleep(for: $0) }) {
      self.pause = pause
    }

    /// Returns the reports from now on. A new listener replaces the last one.
    func reports() -> AsyncStream<Report> {
      let (reports, listener) = AsyncStream.makeStream(of: Report.self)
      state.change {
        $0.listener?.finish()
        $0.listener = listener
      }
      return reports
    }

    /// Replaces all conditions with a condition for a region, or removes them, as soon as the monitor is open. Returns the number of the
    /// arming.
    func arm(_ region: Location.Region?) -> Int {
      let (number, isOpen) = state.change {
        $0.armings += 1
        return ($0.armings, $0.isOpen)
      }
      let activity = isOpen ? BackgroundActivity("Arming a region") : nil
      commands.continuation.yield(.arm(number: number, region, activity))
      return number
    }

    /// Reports a failure of an arming if other code has removed its condition.
    func check(_ arming: Int) { commands.continuation.yield(.check(arming)) }

    func open() {
      let isFirst = state.change { state in
        defer { state.isOpen = true }
        return !state.isOpen
      }
      if isFirst { Task { await run() } }
    }

    private func report(_ event: RegionWatch.Event, of arming: Int) {
      state.change { $0.listener }?.yield(Report(arming: arming, event: event))
    }

    private func run() async {
      #if os(iOS) || os(macOS) || LOCOKIT_STAND_INS
        if #available(iOS 18, macOS 15, *) {
          let monitor = await CLMonitor(Self.monitorName)
          let newest = await monitor.identifiers.compactMap { Int($0) }.max() ?? 0
          let earlier = newest + 1
          listen(to: monitor, upTo: earlier)
          await renew(newest, of: monitor, as: earlier)
          for await command in commands.stream {
            switch command {
            case .arm(let number, let region, let activity):
              let condition = region.map {
                CLMonitor.CircularGeographicCondition(
                  center: CLLocationCoordinate2D(latitude: $0.latitude, longitude: $0.longitude), radius: $0.radius)
              }
              await replaceAll(of: monitor, by: condition, as: earlier + number)
              activity?.end()
            case .check(let number):
              if await !monitor.identifiers.contains(String(earlier + number)) {
                report(.conditionFailed(reason: "other code has removed its condition"), of: number)
              }
            }
          }
        }
      #endif
    }
  }

  #if os(iOS) || os(macOS) || LOCOKIT_STAND_INS
    @available(iOS 18, macOS 15, *)
    extension RegionConditions {
      /// Adds the newest condition of an earlier launch again: after a restart of the device, the system may list it without watching it.
      ///
      /// The old condition stays until the next arming. Its exit may have launched the app, and its record has the state before the exit until
      /// Core Location has reported it.
      private func renew(_ newest: Int, of monitor: CLMonitor, as identifier: Int) async {
        // A condition that the device has left needs no watching. Iterating the events reports its exit.
        guard let record = await monitor.record(for: String(newest)), record.lastEvent.state != .unsatisfied,
          let condition = record.condition as? CLMonitor.CircularGeographicCondition
        else { return }
        await replaceAll(of: monitor, by: condition, as: identifier, keeping: newest)
      }

      /// Adds a condition, if there is one, and then removes the others, except one that is kept. The identifier must be new: the monitor
      /// ignores a condition whose identifier is in use.
      private func replaceAll(
        of monitor: CLMonitor, by condition: CLMonitor.CircularGeographicCondition?, as identifier: Int,
        keeping kept: Int? = nil
      ) async {
        let others = await monitor.identifiers
        if let condition {
          // The monitor reports a state only if it differs from the assumed one, such as when the device is already outside.
          await monitor.add(condition, identifier: String(identifier), assuming: .satisfied)
        }
        for other in others where other != kept.map(String.init) { await monitor.remove(other) }
      }

      /// Iterates the events. If the sequence ends, a new one is iterated after a pause: a second, and up to a minute after several empty
      /// sequences.
      ///
      /// - Parameter earlier: The largest identifier that counts as one of an earlier launch. A renewed condition has it.
      private func listen(to monitor: CLMonitor, upTo earlier: Int) {
        Task {
          var length = Duration.seconds(1)
          while true {
            var hasEvents = false
            do {
              for try await event in await monitor.events {
                hasEvents = true
                receive(event, max(0, (Int(event.identifier) ?? 0) - earlier))
              }
            } catch {}
            if hasEvents {
              length = .seconds(1)
            } else {
              // A new sequence begins with the state of each condition, so no condition is watched if the sequence is empty.
              let last = state.change { $0.armings }
              report(.conditionFailed(reason: "the sequence of the monitor's events has ended"), of: last)
            }
            await pause(length)
            length = min(length * 2, .seconds(60))
          }
        }
      }

      private func receive(_ event: CLMonitor.Event, _ arming: Int) {
        switch event.state {
        case .unsatisfied: report(.outsideCondition, of: arming)
        case .satisfied, .unknown, .unmonitored:
          if let problem = problem(of: event) { report(.conditionFailed(reason: problem), of: arming) }
        @unknown default: break
        }
      }

      /// Returns the reason why a condition isn't watched; `nil` if it is.
      private func problem(of event: CLMonitor.Event) -> String? {
        if event.conditionLimitExceeded { return "the app has too many regions and conditions" }
        if event.insufficientlyInUse { return "the app is not sufficiently in use" }
        if event.serviceSessionRequired { return "a service session is required" }
        if event.accuracyLimited { return "the accuracy is reduced" }
        if event.persistenceUnavailable { return "the monitor's file cannot be read" }
        if event.conditionUnsupported { return "the condition is not supported" }
        return event.state == .unmonitored ? "the condition is not monitored" : nil
      }
    }
  #endif
#endif
