#if os(Linux) || os(macOS)
  import Foundation

  /// What the system has to say to the provider for gpsd.
  enum GPSDEvent: Sendable, Equatable {
    /// What is wanted of the system can be done from now on.
    case began
    case connected
    case bytes([UInt8])
    /// The connection was closed, or could not be made.
    case closed(reason: String)
    /// The receivers were closed through the control socket, or could not be.
    case receiversClosed(error: String?)
    /// The receivers were given to gpsd through the control socket, as far as it could be used.
    case receiversReopened
    case timer
  }

  /// A kind of file.
  enum GPSDFile: Hashable, Sendable {
    /// A serial port, a terminal, or another character device: what a receiver can be.
    case device
    /// A file that is not a receiver.
    case other
  }

  /// Sockets, clocks and chance: the system's, or a test's.
  protocol GPSDSystem: AnyObject {
    var uptime: Duration { get }
    var date: Date { get }
    /// 0..<1.
    func chance() -> Double
    /// Hands over what happens, one after the other and in the isolation of the caller, until the task is cancelled.
    func run(_ take: (GPSDEvent) -> Void) async
    func connect()
    func send(_ bytes: [UInt8])
    func close()
    /// Closes the receivers through the control socket, soon.
    func closeReceivers(_ paths: [String])
    /// Closes the receivers through the control socket, and waits for less than half a second.
    func closeReceiversNow(_ paths: [String]) -> GPSDEvent
    /// Gives the receivers to gpsd through the control socket, soon: those that it had dropped, and, `closing`, the others
    /// anew.
    func reopenReceivers(_ paths: [String], closing: Bool)
    /// The kind of the file at a path; `nil` if the program sees no file.
    func file(at path: String) -> GPSDFile?
    /// There is one timer; `nil` removes it.
    func setTimer(_ deadline: Duration?)
  }
#endif
