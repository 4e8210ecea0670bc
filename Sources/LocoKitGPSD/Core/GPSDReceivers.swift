#if os(Linux) || os(macOS)
  import LocoKit

  /// The receivers that gpsd has named, and whether they must still be closed through the control socket.
  struct GPSDReceivers: Hashable, Sendable {
    let hasControlSocket: Bool
    /// The receivers that gpsd has named, and may have dropped since.
    private(set) var paths: Set<String> = []
    /// The receivers that were device files of this machine when gpsd named them.
    private var files: Set<String> = []
    /// The receivers whose own error estimates gpsd passes on.
    private var estimating: Set<String> = []
    /// Whether gpsd may still have a receiver open after a watch, because it wasn't closed through the control socket.
    private var mayBeOpen = false
    private var pendingCloses = 0
    /// The longest recent interval between two reports of the receiver, at most 6 s. A report reduces it by half at most.
    private var interval = Duration.zero

    /// The most receivers that are remembered; gpsd has room for a few.
    static let maximum = 16

    init(hasControlSocket: Bool) { self.hasControlSocket = hasControlSocket }

    var haveFiles: Bool { !files.isEmpty }

    /// The timeout of the next report.
    ///
    /// gpsd often doesn't notice that a serial receiver is gone. With a control socket, the provider can have the receiver reopened soon.
    /// Without one, the provider can only request the receiver again, and gpsd 3.22 may then drop the receiver permanently.
    var patience: Duration { hasControlSocket ? max(.milliseconds(1_500), interval * 5 / 2) : .seconds(5) }

    /// Updates the interval with the time between two reports.
    mutating func report(after time: Duration) { interval = max(min(time, .seconds(6)), interval / 2) }

    /// Returns the receivers that may be requested. gpsd would drop a receiver whose file is gone.
    func present(_ kinds: [String: GPSDFile]) -> Set<String> {
      paths.filter { !files.contains($0) || kinds[$0] == .device }
    }

    /// Notes whether gpsd passes on a receiver's own error estimates. A report without a driver changes nothing.
    mutating func note(_ device: GPSDReport.Device) {
      guard device.driver != nil, paths.contains(device.path) else { return }
      if device.estimatesErrors { estimating.insert(device.path) } else { estimating.remove(device.path) }
    }

    /// Returns a fix, marked if its errors are the receiver's own estimates.
    func marked(_ fix: GPSDReport.Fix) -> GPSDReport.Fix {
      var fix = fix
      fix.errorsAreDeviations = fix.device.map(estimating.contains) ?? false
      return fix
    }

    // MARK: - Paths

    /// Adds the receivers of gpsd's list, and then those known before, up to the limit.
    mutating func list(_ listed: [String], _ kinds: [String: GPSDFile]) {
      let known = paths
      paths = []
      for path in listed + known.sorted() { add(path, kinds[path]) }
      files.formIntersection(paths)
      estimating.formIntersection(paths)
    }

    /// Adds a path if it may be that of a receiver, and the limit isn't reached.
    mutating func add(_ path: String, _ kind: GPSDFile?) {
      guard Self.isReceiver(path, kind), paths.contains(path) || paths.count < Self.maximum else { return }
      paths.insert(path)
      if kind == .device { files.insert(path) }
    }

    /// Returns whether a path may be that of a receiver, and so may be written to the control socket. gpsd has its own privileges when it
    /// opens a path that is written there, and a server that only claims to be gpsd may name any file.
    ///
    /// If this program sees a file at the path, the file must be a device. Otherwise the path must be in `/dev`, or be a network source's
    /// address, and have no component `..`. A path of more than 1,024 bytes, or with a character that isn't visible ASCII, is refused: the
    /// character may end the command.
    private static func isReceiver(_ path: String, _ kind: GPSDFile?) -> Bool {
      guard path.utf8.count <= 1_024, path.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value < 127 }) else {
        return false
      }
      if let kind { return kind == .device }
      let isDevice = path.hasPrefix("/dev/") || !path.hasPrefix("/") && path.contains("://")
      return isDevice && !path.split(separator: "/").contains("..")
    }

    // MARK: - The control socket

    mutating func beginWatch() { mayBeOpen = false }
    mutating func endWatch() { mayBeOpen = true }

    /// Returns the receivers to close now that none is wanted, even after the connection was lost. gpsd would accept a receiver whose file
    /// is gone, and it has room for a few.
    mutating func beginClose(_ kinds: [String: GPSDFile]) -> [String]? {
      guard mayBeOpen, hasControlSocket else { return nil }
      let present = present(kinds).sorted()
      if present.isEmpty { return nil }
      mayBeOpen = false
      pendingCloses += 1
      return present
    }

    /// Returns the receivers to close when the provider stops.
    mutating func beginLastClose(_ kinds: [String: GPSDFile]) -> [String]? {
      let present = present(kinds).sorted()
      guard hasControlSocket, !present.isEmpty, mayBeOpen || pendingCloses > 0 else { return nil }
      // A pending close may not have reached gpsd; closing twice does no harm.
      (mayBeOpen, pendingCloses) = (false, 0)
      return present
    }

    mutating func endClose() { pendingCloses = max(0, pendingCloses - 1) }
  }

  // MARK: - Use

  /// Measures how long the receiver was on.
  struct ReceiverUse: Hashable, Sendable {
    private var ended = Duration.zero
    private var since: Duration?
    private var tailEnd = Duration.zero

    mutating func began(at now: Duration) {
      // During the tail of the previous watch, the receiver is already on.
      tailEnded(at: now)
      since = now
    }

    mutating func ended(at now: Duration, tail: Duration) {
      guard let since else { return }
      ended += now - since + tail
      self.since = nil
      tailEnd = now + tail
    }

    /// Ends the tail now, because the receiver was closed or is used again.
    mutating func tailEnded(at now: Duration) {
      ended -= max(.zero, tailEnd - now)
      tailEnd = min(tailEnd, now)
    }

    func total(at now: Duration) -> Duration {
      ended - max(.zero, tailEnd - now) + (since.map { now - $0 } ?? .zero)
    }
  }
#endif
