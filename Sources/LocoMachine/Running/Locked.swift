#if !hasFeature(Embedded)
  #if canImport(os)
    import os
  #else
    import Synchronization
  #endif

  /// A value behind a lock.
  ///
  /// `Mutex` isn't available in the oldest supported versions of iOS and macOS.
  @usableFromInline
  package final class Locked<Value: Sendable>: Sendable {
    #if canImport(os)
      private let lock: OSAllocatedUnfairLock<Value>
      package init(_ value: Value) { lock = OSAllocatedUnfairLock(initialState: value) }
    #else
      private let lock: Mutex<Value>
      package init(_ value: Value) { lock = Mutex(value) }
    #endif

    package func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
      lock.withLock { body(&$0) }
    }
  }
#endif
