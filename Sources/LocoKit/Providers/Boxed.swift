/// A large value, kept outside its owner and shared by all copies until one of them is changed.
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

/// A large value that mostly is not there, kept outside its owner, which gives it no room while it is `nil`.
@propertyWrapper
struct Seldom<Value> {
  private final class Storage {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage?

  init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  var wrappedValue: Value? {
    get { storage?.value }
    set {
      guard let newValue else { return storage = nil }
      if let storage, isKnownUniquelyReferenced(&self.storage) {
        storage.value = newValue
      } else {
        storage = Storage(newValue)
      }
    }
  }
}
