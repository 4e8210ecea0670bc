#if os(Linux) || os(macOS)
  /// The receivers that gpsd has named, and whether they must still be closed through the control socket.
  struct GPSDReceivers: Equatable, Sendable {
    let hasControlSocket: Bool
    /// The receivers that gpsd has named, and may have dropped since.
    private var known: [String: Receiver] = [:]
    /// Whether gpsd may still have a receiver open after a watch, because it wasn't closed through the control socket.
    private var mayBeOpen = false
    private var pendingCloses = 0
    /// The longest recent interval between two reports of the receiver, at most 6 s. A report reduces it by half at most.
    private var interval = Duration.zero

    /// The most receivers that are remembered; gpsd has room for a few.
    static let maximum = 16

    struct Receiver: Equatable, Sendable {
      /// Whether the receiver was a device file of this machine when gpsd named it.
      var isFile = false
      /// Whether gpsd passes on the receiver's own error estimates.
      var estimatesErrors = false
    }

    init(hasControlSocket: Bool) { self.hasControlSocket = hasControlSocket }

    var paths: Set<String> { Set(known.keys) }
    var haveFiles: Bool { known.values.contains { $0.isFile } }

    /// The timeout of the next report.
    ///
    /// gpsd often doesn't notice that a serial receiver is gone. With a control socket, the provider can have the receiver reopened soon.
    /// Without one, the provider can only request the receiver again, and gpsd 3.22 may then drop the receiver permanently.
    var patience: Duration { hasControlSocket ? max(.milliseconds(1_500), interval * 5 / 2) : .seconds(5) }

    /// Updates the interval with the time between two reports.
    mutating func report(after time: Duration) { interval = max(min(time, .seconds(6)), interval / 2) }

    /// Returns the receivers that may be requested. gpsd would drop a receiver whose file is gone.
    func present(_ kinds: [String: GPSDFile]) -> Set<String> {
      Set(known.filter { !$1.isFile || kinds[$0] == .device }.keys)
    }

    /// Notes whether gpsd passes on a receiver's own error estimates. A report without a driver changes nothing.
    mutating func note(_ device: GPSDReport.Device) {
      if device.driver != nil { known[device.path]?.estimatesErrors = device.estimatesErrors }
    }

    /// Returns a fix, marked if its errors are the receiver's own estimates.
    func marked(_ fix: GPSDReport.Fix) -> GPSDReport.Fix {
      var fix = fix
      fix.errorsAreDeviations = fix.device.flatMap { known[$0] }?.estimatesErrors ?? false
      return fix
    }

    // MARK: - Paths

    /// Adds the receivers of gpsd's list, and then those known before, up to the limit.
    mutating func list(_ listed: [String], _ kinds: [String: GPSDFile]) {
      let earlier = known
      known = [:]
      for path in listed + earlier.keys.sorted() { add(path, kinds[path], earlier[path]) }
    }

    /// Adds a path if it may be that of a receiver, and the limit isn't reached.
    ///
    /// - Parameter earlier: What was known of the receiver before.
    mutating func add(_ path: String, _ kind: GPSDFile?, _ earlier: Receiver? = nil) {
      guard Self.isReceiver(path, kind), known[path] != nil || known.count < Self.maximum else { return }
      var receiver = known[path] ?? earlier ?? Receiver()
      if kind == .device { receiver.isFile = true }
      known[path] = receiver
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
#endif
