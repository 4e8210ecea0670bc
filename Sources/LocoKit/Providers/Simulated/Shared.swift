/// A large value, kept outside its owner and shared by all copies until one of them is changed.
///
/// The four parts of a simulated device's configuration take 344 bytes; shared, they take 32 in each of many devices, which
/// is a fifth of what a device and its manager take when they are made.
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
