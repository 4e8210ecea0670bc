#if canImport(Observation)
  import Observation
  import Testing

  /// An observer that reads a property again after each announcement, as a SwiftUI view does.
  @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
  final class ObservedValue<Value: Equatable & SendableMetatype> {
    private let name: String
    private let read: () -> Value
    private var value: Value
    private var wasAnnounced = Flag()
    /// The number of announcements.
    private(set) var announcements = 0
    /// The number of different values that followed each other.
    private(set) var changes = 0

    private final class Flag: @unchecked Sendable {
      /// Set in the isolation of the observed object, which is the test's.
      var isSet = false
    }

    init(_ name: String, _ read: @escaping () -> Value) {
      (self.name, self.read, value) = (name, read, read())
      track()
    }

    private func track() {
      let flag = Flag()
      wasAnnounced = flag
      let new = withObservationTracking(read) { flag.isSet = true }
      if new != value { changes += 1 }
      value = new
    }

    /// Reads the property after an announcement; otherwise expects that it hasn't changed.
    func update(_ step: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation) {
      if wasAnnounced.isSet {
        announcements += 1
        track()
      } else {
        #expect(read() == value, "\(name) changed without an announcement: \(step())", sourceLocation: sourceLocation)
      }
    }
  }
#endif
