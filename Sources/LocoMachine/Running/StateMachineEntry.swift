#if !hasFeature(Embedded)
  @usableFromInline
  final class StateMachineEntry<Machine: StateMachine>: ListenerEntry {
    @usableFromInline let identifier: ObjectIdentifier
    @usableFromInline private(set) weak var listener: (any StateMachineListener<Machine>)?

    @usableFromInline
    init(_ listener: any StateMachineListener<Machine>) {
      (identifier, self.listener) = (ObjectIdentifier(listener), listener)
    }

    @usableFromInline
    func forget() { listener = nil }
  }
#endif
