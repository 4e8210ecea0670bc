/// A large value with copy-on-write storage: copying its owner retains a reference, and a change copies the value if the storage is shared.
@propertyWrapper
struct Shared<Value: Equatable & Sendable>: Equatable, Sendable {
  // `@unchecked`, because the value is a variable of a class. Only `_modify` changes it, through the only reference to the storage and
  // during an exclusive access to its owner. So accesses don't overlap, and aren't checked at run time.
  private final class Storage: @unchecked Sendable {
    @exclusivity(unchecked) var value: Value
    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(_ value: Value) { storage = Storage(value) }
  init(wrappedValue: Value) { self.init(wrappedValue) }

  var wrappedValue: Value {
    get { value }
    _modify { yield &value }
  }

  var value: Value {
    get { storage.value }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      yield &storage.value
    }
  }

  static func == (first: Self, second: Self) -> Bool {
    first.storage === second.storage || first.storage.value == second.storage.value
  }
}
