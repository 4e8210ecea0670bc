#if os(Linux) || os(macOS)
  import LocoKit
  import LocoFoundation

  /// The receiver whose fixes are used, and what its fixes lack.
  ///
  /// gpsd passes on the fixes of all its receivers. Their positions differ by up to tens of metres, so a mixture would look like movement.
  /// The source follows the first receiver that has a position. It follows another one after the followed receiver has had no position for
  /// ten seconds, or after the other one's error has been less than two thirds of the followed receiver's for ten seconds.
  struct GPSDSource: Equatable, Sendable {
    /// A receiver, and the time since which it has had a property.
    private struct Sighting: Hashable {
      var device: String
      var since: Duration
    }

    private struct Arrival: Hashable {
      var uptime: Duration
      var date: Date
    }

    /// The path of the followed receiver.
    private(set) var followed: String?
    /// The time of the followed receiver's last position, or of the watch's start if that is later.
    private var heard = Duration.zero
    /// The followed receiver's last error, in metres.
    private var error = Double.infinity
    /// A receiver that has been better in each of its fixes since a time.
    private var rival: Sighting?
    /// The time of the first position without a time since the last one with a time.
    private var untimedSince: Duration?
    private var arrival: Arrival?
    /// The number of locations without an accuracy since the last one with an accuracy.
    private var inaccurate = 0
    /// A receiver that sends no coordinates, and the time of its first report without them since the watch's start and the last position.
    private var unplaced: Sighting?

    static let patience = Duration.seconds(10)
    /// A receiver that doesn't know the date yet sends positions without a time, usually for a second.
    static let untimedPatience = Duration.seconds(3)
    /// The longest time between two reports of the same epoch.
    static let epochPatience = Duration.milliseconds(250)
    /// gpsd may report a position before the receiver's first sentence with an accuracy.
    static let maximumInaccurate = 5

    mutating func beginWatch(at uptime: Duration) { (heard, rival, unplaced) = (uptime, nil, nil) }

    /// Returns whether a fix is of the followed receiver, and follows its receiver if that is the better choice.
    mutating func follows(_ fix: GPSDReport.Fix, at uptime: Duration) -> Bool {
      let device = fix.device ?? ""
      let fixError = fix.horizontalError.flatMap { $0 > 0 ? $0 : nil }
      if let followed, followed != device {
        guard fix.hasPosition else { return false }
        let isBetter = fixError.map { $0 * 3 < error * 2 } ?? false
        if !isBetter {
          if rival?.device == device { rival = nil }
        } else if rival?.device != device {
          rival = Sighting(device: device, since: uptime)
        }
        let isRival = rival.map { $0.device == device && uptime - $0.since >= Self.patience } ?? false
        guard isRival || uptime - heard >= Self.patience else { return false }
        self = GPSDSource()
      }
      guard fix.hasPosition else { return true }
      (followed, heard) = (device, uptime)
      if let fixError { error = fixError }
      return true
    }

    /// Returns a fix of the followed receiver with a time; `nil` if the time may still come.
    ///
    /// A receiver without sentences for the time sends positions without one. After three seconds, their times are those of their arrival.
    mutating func timed(_ fix: GPSDReport.Fix, at now: GPSDCore.Now) -> GPSDReport.Fix? {
      guard fix.isPositioned, fix.time == nil else {
        if fix.time != nil { untimedSince = nil }
        return fix
      }
      let since = untimedSince ?? now.uptime
      untimedSince = since
      guard now.uptime - since >= Self.untimedPatience else { return nil }
      var fix = fix
      if let arrival, now.uptime - arrival.uptime < Self.epochPatience {
        fix.time = arrival.date
      } else {
        arrival = Arrival(uptime: now.uptime, date: now.date)
        fix.time = now.date
      }
      return fix
    }

    /// Whether the receiver sends no times.
    func isUntimed(at uptime: Duration) -> Bool {
      untimedSince.map { uptime - $0 >= Self.untimedPatience } ?? false
    }

    /// Notes a report, and returns whether its receiver has known its position for ``patience``, but sent no coordinates, and no other
    /// receiver has sent a position.
    mutating func lacksPosition(_ fix: GPSDReport.Fix, at uptime: Duration) -> Bool {
      let device = fix.device ?? ""
      guard fix.isPositioned, !fix.hasPosition else {
        if fix.hasPosition || unplaced?.device == device { unplaced = nil }
        return false
      }
      let first = unplaced ?? Sighting(device: device, since: uptime)
      unplaced = first
      return first.device == device && uptime - first.since >= Self.patience
    }

    /// Counts a location of the followed receiver, and returns whether the receiver sends no accuracies.
    mutating func lacksAccuracy(_ location: Location) -> Bool {
      inaccurate = location.horizontalAccuracy < 0 ? min(inaccurate + 1, Self.maximumInaccurate) : 0
      return inaccurate == Self.maximumInaccurate
    }
  }
#endif
