/// A large value outside its owner, shared by all copies of the owner until one of them changes it.
///
/// A change allocates; reading and copying cost a reference.
@propertyWrapper
struct Shared<Value: Hashable & Sendable>: Hashable, Sendable {
  private final class Storage: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(wrappedValue: Value) { storage = Storage(wrappedValue) }

  var wrappedValue: Value {
    get { storage.value }
    set { storage = Storage(newValue) }
  }

  static func == (first: Self, second: Self) -> Bool {
    first.storage === second.storage || first.storage.value == second.storage.value
  }

  func hash(into hasher: inout Hasher) { hasher.combine(storage.value) }
}
