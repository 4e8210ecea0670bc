#if canImport(CoreLocation)
  import CoreLocation

  /// The region as a condition of a `CLMonitor`, for all providers of a process: the one that was made last hears of exits.
  ///
  /// To open a monitor whose name is in use stops the program, even if it was released a moment ago, and its events can be
  /// iterated once only. So it is opened once, when regions may be used first, and never closed. To iterate its events is to use
  /// locations, which may show a prompt: so it is not opened before the permission is given.
  final class RegionConditions: Sendable {
    /// `nil` where there is no monitor, or none that is dependable in the background: before iOS 18 and macOS 15.
    static let shared: RegionConditions? = {
      #if os(iOS) || os(macOS) || LOCOKIT_STAND_INS
        if #available(iOS 18, macOS 15, *) { return RegionConditions() }
      #endif
      return nil
    }()

    /// Letters and digits: anything else stops the program.
    static let monitorName = "LocoKitLastFix"

    private struct State {
      var isOpen = false
      var armings = 0
      var listener: AsyncStream<Int>.Continuation?
    }

    private struct Arming {
      let number: Int
      let region: CircularRegion?
      /// Keeps the app running until the monitor has heard of it.
      let activity: BackgroundActivity?
    }

    private let state = Locked(State())
    private let armings = AsyncStream.makeStream(of: Arming.self)

    /// The numbers of the armings whose region the device has left: 0 for those of an earlier launch. The same one may come again.
    func exits() -> AsyncStream<Int> {
      let (exits, listener) = AsyncStream.makeStream(of: Int.self)
      state.change {
        $0.listener?.finish()
        $0.listener = listener
      }
      return exits
    }

    /// Arms a region in the place of all others, or removes them, once the monitor is open.
    ///
    /// - Returns: The number of this arming.
    func arm(_ region: CircularRegion?) -> Int {
      let (number, isOpen) = state.change {
        $0.armings += 1
        return ($0.armings, $0.isOpen)
      }
      let activity = isOpen ? BackgroundActivity("Arming a region") : nil
      armings.continuation.yield(Arming(number: number, region: region, activity: activity))
      return number
    }

    func open() {
      let isFirst = state.change { state in
        defer { state.isOpen = true }
        return !state.isOpen
      }
      if isFirst { Task { await run() } }
    }

    private func run() async {
      #if os(iOS) || os(macOS) || LOCOKIT_STAND_INS
        if #available(iOS 18, macOS 15, *) {
          let monitor = await CLMonitor(Self.monitorName)
          let earlier = await monitor.identifiers.compactMap { Int($0) }.max() ?? 0
          Task {
            for try await event in await monitor.events where event.state == .unsatisfied {
              let number = (Int(event.identifier) ?? 0) - earlier
              state.change { $0.listener }?.yield(max(0, number))
            }
          }
          for await arming in armings.stream {
            // The new one comes first, under an identifier of its own: one that is in use would be ignored.
            let others = await monitor.identifiers
            if let region = arming.region {
              let condition = CLMonitor.CircularGeographicCondition(
                center: CLLocationCoordinate2D(latitude: region.latitude, longitude: region.longitude),
                radius: region.radius)
              // It is only told what is not as assumed: a device that is outside already.
              await monitor.add(condition, identifier: String(earlier + arming.number), assuming: .satisfied)
            }
            for identifier in others { await monitor.remove(identifier) }
            arming.activity?.end()
          }
        }
      #endif
    }
  }
#endif
