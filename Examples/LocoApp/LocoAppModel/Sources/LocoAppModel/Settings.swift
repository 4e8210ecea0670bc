import Foundation

/// The user's choices, kept in user defaults.
struct Settings {
  let defaults: UserDefaults

  private enum Key: String { case recordsJournal, errorBound, usesMotion, hasOfferedRecording }

  private func value<Value>(_ key: Key) -> Value? { defaults.object(forKey: key.rawValue) as? Value }
  private func set(_ value: some Any, _ key: Key) { defaults.set(value, forKey: key.rawValue) }

  var recordsJournal: Bool {
    get { value(.recordsJournal) ?? false }
    nonmutating set { set(newValue, .recordsJournal) }
  }

  /// Whether the user has answered the first launch's offer.
  var hasOfferedRecording: Bool {
    get { value(.hasOfferedRecording) ?? false }
    nonmutating set { set(newValue, .hasOfferedRecording) }
  }

  var usesMotion: Bool {
    get { value(.usesMotion) ?? true }
    nonmutating set { set(newValue, .usesMotion) }
  }

  /// One of ``AppModel/errorBounds``. The default is 500 m. User defaults can't store `nil`, so "off" is stored as 0.
  var errorBound: Double? {
    get {
      let stored: Double? = value(.errorBound)
      if stored == 0 { return nil }
      // Another version of the app may have stored a different value.
      guard let stored, AppModel.errorBounds.contains(stored) else { return 500 }
      return stored
    }
    nonmutating set { set(newValue ?? 0, .errorBound) }
  }
}
