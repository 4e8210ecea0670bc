#if os(Linux) || os(macOS)
  @_spi(Benchmarks) import LocoKit
  @_spi(Benchmarks) import LocoKitJournal
  @_spi(Benchmarks) import LocoKitSimulation

  /// Measures the time in each state while a journal is played.
  ///
  /// The state follows from the manager's commands. The phone is in motion from a report of motion or of a standing vehicle to the motion
  /// sensor's next report of rest, or at most until five minutes after the app falls asleep or loses the sensor. It is also in motion for
  /// five minutes after a fix with a speed of more than 1 m/s. A slower fix ends the motion, unless the sensor reports motion. For a fix
  /// without a speed, the mean speed since an earlier fix is used if the fixes are farther apart than the sum of their accuracies;
  /// otherwise, after five minutes, the speed is 0.
  struct StateMeter {
    private(set) var times = StateTimes()

    private let tail: Duration
    /// The time of the journal up to which the states are counted.
    private var countedTo = Duration.zero
    /// The time of the journal when the receiver's tail ends.
    private var tailEnd = Duration.zero
    /// The time of the journal when the motion ends.
    private var motionEnd = Duration.zero
    /// The counted time between launches.
    private var timeBetweenLaunches = Duration.zero
    private var service = JournalProvider.Service.asleep
    /// Whether the motion sensor's last report was motion or a standing vehicle.
    private var hasMotion = false
    private var anchor: (fix: Location, time: Duration)?

    private static let minimumSpeed = 1.0
    private static let memory = Duration.seconds(300)

    init(_ profile: SimulatedProvider.EnergyProfile) { tail = profile.tail }

    /// Counts the time up to now. The phone is asleep between two launches.
    mutating func count(_ player: JournalProvider) {
      let between = player.elapsed - player.recordedTime
      add(.asleep, to: countedTo + between - timeBetweenLaunches)
      timeBetweenLaunches = between
      add(player.service, to: player.elapsed)
    }

    private mutating func add(_ service: JournalProvider.Service, to end: Duration) {
      guard countedTo < end else { return }
      if service == .asleep, self.service != .asleep { endMotion(after: Self.memory) }
      self.service = service
      while countedTo < end {
        var (next, part) = (end, \StateTimes.gps)
        if service != .gps, countedTo < tailEnd {
          (next, part) = (min(end, tailEnd), \.tail)
        } else if service != .gps {
          part = service == .asleep ? \.asleep : \.keptRunning
        }
        let isMoving = countedTo < motionEnd
        if isMoving { next = min(next, motionEnd) }
        let motion = isMoving ? \StateTimes.Time.moving : \.resting
        times[keyPath: part][keyPath: motion] += (next - countedTo).seconds
        countedTo = next
      }
      if service == .gps { tailEnd = end + tail }
    }

    /// Ends the motion that the sensor reported, at the latest after `time`, because the sensor's reports end here.
    private mutating func endMotion(after time: Duration) {
      hasMotion = false
      motionEnd = min(motionEnd, countedTo + time)
    }

    // MARK: - Reports. Call `count(_:)` before each of these methods.

    /// Forgets the motion, because a launch begins, lines are missing, or the journal ends.
    mutating func forget() {
      endMotion(after: .zero)
      anchor = nil
    }

    mutating func handle(_ report: ProviderReport, _ service: JournalProvider.Service) {
      switch report {
      case .wake(.motion(let motion)):
        hasMotion = motion != .still
        motionEnd = hasMotion ? .nanoseconds(Int64.max) : countedTo
      case .wake(let event): if event.wakesApp(in: service) { times.wakes += 1 }
      case .wakeSources(let sources, _): if !sources.contains(.motion) { endMotion(after: Self.memory) }
      case .fixes(let fixes): for fix in fixes { handle(fix) }
      case .promptShown, .authorization, .pastMotion, .battery, .app, .failure: break
      }
    }

    private mutating func handle(_ fix: Location) {
      guard fix.isGood(to: 100), let speed = speed(of: fix), !hasMotion else { return }
      motionEnd = speed > Self.minimumSpeed ? countedTo + Self.memory : countedTo
    }

    /// Returns the speed of a fix; `nil` if it isn't known.
    private mutating func speed(of fix: Location) -> Double? {
      guard let anchor else {
        self.anchor = (fix, countedTo)
        return fix.speed
      }
      let (metres, seconds) = (anchor.fix.distance(to: fix), (countedTo - anchor.time).seconds)
      let isFar = metres > anchor.fix.horizontalAccuracy + fix.horizontalAccuracy
      guard seconds > 0, isFar || seconds >= Self.memory.seconds else { return fix.speed }
      self.anchor = (fix, countedTo)
      return fix.speed ?? (isFar ? metres / seconds : 0)
    }
  }

  extension Location {
    func isGood(to metres: Double) -> Bool {
      hasValidCoordinate && horizontalAccuracy > 0 && horizontalAccuracy <= metres
    }
  }

  extension WakeEvent {
    /// Whether the event wakes a suspended app.
    func wakesApp(in service: JournalProvider.Service) -> Bool { kind.launchesApp && service == .asleep }
  }
#endif
