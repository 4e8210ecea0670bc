#if !hasFeature(Embedded)
  /// A pure value that makes decisions: it takes inputs and the time, and returns actions.
  @usableFromInline
  package protocol CoreProtocol: ~Copyable {
    associatedtype Input
    associatedtype Action
    /// The time, and other data that a decision depends on.
    associatedtype Now

    /// The maximum number of inputs that callbacks may send before the first input is done. With more, the program stops, because the
    /// exchange is probably endless.
    static var maximumQueued: Int { get }
    /// The name of the core in messages.
    static var name: String { get }

    mutating func handle(_ input: Input, at now: Now, into actions: inout [Action])
    /// Handles one thing that is due, and returns whether there was one. If so, this function is called again after the actions are carried
    /// out.
    mutating func settle(at now: Now, into actions: inout [Action]) -> Bool
  }

  extension CoreProtocol where Self: ~Copyable {
    @usableFromInline package static var maximumQueued: Int { 10_000 }
    @usableFromInline package static var name: String { "\(Self.self)" }
  }
#endif
