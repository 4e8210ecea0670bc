#if os(Linux) || os(macOS)
  /// The receivers that gpsd has named, and what the control socket has yet to close.
  struct GPSDReceivers: Hashable, Sendable {
    /// Whether receivers can be closed and returned through the control socket.
    let hasControlSocket: Bool
    /// The receivers that gpsd has named, and may have dropped since.
    private(set) var paths: Set<String> = []
    /// Those that are device files of this machine, and were there when gpsd named them.
    private var files: Set<String> = []
    /// Whether gpsd may still have a receiver open that was watched, and was not closed through the control socket.
    private var mayBeOpen = false
    /// How many closes are not answered yet.
    private var pendingCloses = 0
    /// The recent interval between two reports of the receiver, which decays slowly.
    private var interval = Duration.zero

    /// How many receivers are known at most; gpsd has room for a few.
    static let maximum = 16

    init(hasControlSocket: Bool) { self.hasControlSocket = hasControlSocket }

    /// Whether one of them is a device file of this machine.
    var haveFiles: Bool { !files.isEmpty }

    /// The timeout of a report.
    ///
    /// gpsd often doesn't notice that a serial receiver is gone. Through the control socket the provider reopens it soon; without one
    /// it can only ask, which may make gpsd 3.22 drop a receiver for good.
    var patience: Duration { hasControlSocket ? max(.milliseconds(1_500), interval * 5 / 2) : .seconds(5) }

    /// Updates the interval at a report.
    mutating func report(after time: Duration) { interval = max(min(time, .seconds(6)), interval / 2) }

    /// Those that can be asked for: gpsd would drop a receiver whose file is not there.
    func present(_ kinds: [String: GPSDFile]) -> Set<String> {
      paths.filter { !files.contains($0) || kinds[$0] == .device }
    }
  }

  // MARK: - Paths

  extension GPSDReceivers {
    /// Takes note of gpsd's list: what it has now comes before what it had.
    mutating func list(_ listed: [String], _ kinds: [String: GPSDFile]) {
      let known = paths
      paths = []
      for path in listed { add(path, kinds[path]) }
      for path in known.sorted() { add(path, kinds[path]) }
      files.formIntersection(paths)
    }

    /// Adds a path, unless it cannot be that of a receiver.
    mutating func add(_ path: String, _ kind: GPSDFile?) {
      guard Self.isReceiver(path, kind), paths.contains(path) || paths.count < Self.maximum else { return }
      paths.insert(path)
      if kind == .device { files.insert(path) }
    }

    /// Whether a path may be that of a receiver, which is written to the control socket: gpsd, with its rights, opens what it
    /// is given there, and a server that only claims to be gpsd may name any file.
    ///
    /// A network source has an address. A file is a device; one that is not there, or that this program does not see, has a
    /// device's path. Nothing in a path may end the command.
    private static func isReceiver(_ path: String, _ kind: GPSDFile?) -> Bool {
      guard path.utf8.count <= 1_024, path.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value < 127 }) else {
        return false
      }
      switch kind {
      case .device: return true
      case .other: return false
      case nil: break
      }
      let isDevice = path.hasPrefix("/dev/") || !path.hasPrefix("/") && path.contains("://")
      return isDevice && !path.split(separator: "/").contains("..")
    }
  }

  // MARK: - The control socket

  extension GPSDReceivers {
    /// gpsd is asked to watch, which opens what it has: nothing is to be closed.
    mutating func beginWatch() { mayBeOpen = false }

    /// The watch is over, by the provider or with the connection.
    mutating func endWatch() { mayBeOpen = true }

    /// The receivers to close now that none is wanted; `nil` where there is nothing to close.
    ///
    /// Also where the connection was lost in between: the control socket has its own.
    mutating func beginClose() -> [String]? {
      guard mayBeOpen, hasControlSocket, !paths.isEmpty else { return nil }
      mayBeOpen = false
      pendingCloses += 1
      return paths.sorted()
    }

    /// The receivers to close at the end of the program; `nil` where there is nothing to close.
    mutating func beginLastClose() -> [String]? {
      guard hasControlSocket, !paths.isEmpty, mayBeOpen || pendingCloses > 0 else { return nil }
      // The last request may not have reached gpsd; a second one does no harm.
      (mayBeOpen, pendingCloses) = (false, 0)
      return paths.sorted()
    }

    /// A close was answered.
    mutating func endClose() { pendingCloses = max(0, pendingCloses - 1) }
  }
#endif
