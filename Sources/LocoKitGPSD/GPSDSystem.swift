#if os(Linux) || os(macOS)
  import LocoFoundation

  /// The sockets, clocks and random numbers that a provider uses: the system's, or a test's.
  protocol GPSDSystem: AnyObject {
    var uptime: Duration { get }
    var date: Date { get }
    /// Returns a random number, 0..<1.
    func chance() -> Double
    /// Calls `handle` with inputs and `read` with gpsd's bytes, in the caller's isolation, until the task is cancelled.
    func run(handle: (GPSDCore.Input) -> Void, read: ([UInt8]) -> Void) async
    func connect()
    func send(_ bytes: [UInt8])
    func close()
    /// Closes receivers through the control socket, asynchronously.
    func closeReceivers(_ paths: [String])
    /// Tries for at most half a second to close receivers through the control socket. Returns the error; `nil` on success.
    func closeReceiversNow(_ paths: [String]) -> String?
    /// Adds receivers to gpsd through the control socket, asynchronously. `closing` removes them first.
    func reopenReceivers(_ paths: [String], closing: Bool)
    /// Returns the kind of the file at a path; `nil` if the program sees none.
    func file(at path: String) -> GPSDFile?
    /// Sets the only timer; `nil` if none is needed. A timer may fire too early, and even if it is no longer needed.
    func setTimer(_ deadline: Duration?)
  }
#endif
