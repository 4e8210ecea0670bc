#if !hasFeature(Embedded)
  /// A weak reference to a listener. Each listener protocol has its own conforming class, because a generic class can't hold a weak
  /// reference to a value of its type parameter.
  @usableFromInline
  package protocol ListenerEntry<Listener>: AnyObject {
    associatedtype Listener
    var identifier: ObjectIdentifier { get }
    /// The listener; `nil` once it no longer exists, or was removed.
    var listener: Listener? { get }
    /// Removes the listener.
    func forget()
  }
#endif
