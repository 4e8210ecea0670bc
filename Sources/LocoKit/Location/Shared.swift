/// A large value outside its owner, shared by all copies of the owner until one of them changes it.
///
/// Reading and copying cost a reference. A change allocates if there are other copies.
@propertyWrapper
struct Shared<Value: Hashable & Sendable>: Hashable, Sendable {
  // Only `_modify` changes the value: while there is one reference to the storage, and its owner is being changed. So no access
  // overlaps with the change, in this thread or in another one, and accesses aren't checked at run time.
  private final class Storage: @unchecked Sendable {
    @exclusivity(unchecked) var value: Value
    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(wrappedValue: Value) { storage = Storage(wrappedValue) }

  var wrappedValue: Value {
    get { storage.value }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      yield &storage.value
    }
  }

  static func == (first: Self, second: Self) -> Bool {
    first.storage === second.storage || first.storage.value == second.storage.value
  }

  func hash(into hasher: inout Hasher) { hasher.combine(storage.value) }
}
