#if canImport(Dispatch)
  import Foundation

  /// The contents of a ``LastLocationStore``.
  struct StoreContents: Codable, Equatable, Sendable {
    private var version = 1
    var location: Location?
    var isPaused = false
    /// The location's timestamp as `Date` stores it. The encoded location has seconds since 1970, which are rounded.
    private var secondsSince2001: Double?

    init(location: Location? = nil, isPaused: Bool = false) { (self.location, self.isPaused) = (location, isPaused) }

    /// The contents of an unreadable store: a pause, since the stored one may have been a pause.
    static let unreadable = StoreContents(isPaused: true)

    /// More than any contents need, in bytes.
    static let maximumSize = 16_384

    /// Why data isn't the contents of a store.
    struct Unreadable: Error, CustomStringConvertible {
      let description: String
    }

    init(_ data: Data) throws(Unreadable) {
      guard data.count <= Self.maximumSize else {
        throw Unreadable(description: "it is larger than \(Self.maximumSize) bytes")
      }
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .secondsSince1970
      do {
        self = try decoder.decode(Self.self, from: data)
      } catch {
        throw Unreadable(description: "it isn't in LocoKit's format")
      }
      guard version == 1 else {
        throw Unreadable(description: "its version is \(version), and this LocoKit reads version 1")
      }
      if let location, !location.hasValidCoordinate || !location.hasValidAccuracy {
        throw Unreadable(description: "its location isn't on Earth")
      }
      if let exact = secondsSince2001.map(Date.init(timeIntervalSinceReferenceDate:)), let location,
        abs(exact.timeIntervalSince(location.timestamp)) < 1
      {
        self.location?.timestamp = exact
      }
      secondsSince2001 = nil
    }

    func data() throws -> Data {
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .secondsSince1970
      encoder.outputFormatting = [.sortedKeys]
      var contents = self
      contents.secondsSince2001 = location?.timestamp.timeIntervalSinceReferenceDate
      do {
        return try encoder.encode(contents)
      } catch {
        throw StoreError("a number of the location isn't finite")
      }
    }
  }

  struct StoreError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// The medium of a ``LastLocationStore``.
  protocol StoreBacking: Sendable {
    /// Returns the contents, and a problem that was found in them.
    func read() throws -> (StoreContents, problem: String?)
    /// Reads, changes and writes the contents as one transaction.
    ///
    /// - Returns: A problem that was found in the contents.
    func change(_ change: (inout StoreContents) -> Void) throws -> String?
  }

  /// A store's contents in user defaults.
  struct StoreDefaults: StoreBacking {
    static let key = "LocoKit"
    static let unreadableKey = "LocoKit.unreadable"
    /// The key of TTLocationHandler's last location.
    static let oldKey = "LAST_KNOWN_LOCATION"

    let suiteName: String?

    private func defaults() throws -> UserDefaults {
      guard let suiteName else { return .standard }
      guard let defaults = UserDefaults(suiteName: suiteName) else {
        throw StoreError("\(suiteName) isn't a valid suite of user defaults")
      }
      return defaults
    }

    func read() throws -> (StoreContents, problem: String?) {
      let defaults = try defaults()
      guard let value = defaults.object(forKey: Self.key) else { return (StoreContents(location: carriedOver), nil) }
      do {
        guard let data = value as? Data else {
          throw StoreContents.Unreadable(description: "it isn't in LocoKit's format")
        }
        return (try StoreContents(data), nil)
      } catch {
        defaults.set(value, forKey: Self.unreadableKey)
        defaults.set(try StoreContents.unreadable.data(), forKey: Self.key)
        let problem = "The last location in the user defaults was moved to \(Self.unreadableKey) and counts as a pause"
        return (.unreadable, "\(problem): \(error).")
      }
    }

    func change(_ change: (inout StoreContents) -> Void) throws -> String? {
      var (contents, problem) = try read()
      let before = contents
      change(&contents)
      let defaults = try defaults()
      if contents != before || defaults.object(forKey: Self.key) == nil {
        defaults.set(try contents.data(), forKey: Self.key)
      }
      return problem
    }

    /// TTLocationHandler's last location.
    var carriedOver: Location? {
      let old = try? defaults().dictionary(forKey: Self.oldKey)
      guard let latitude = old?["LATITUDE"] as? Double, let longitude = old?["LONGITUDE"] as? Double,
        let timestamp = old?["TIME_STAMP"] as? Date
      else { return nil }
      let location = Location(
        latitude: latitude, longitude: longitude, horizontalAccuracy: 1_000, timestamp: timestamp)
      return location.hasValidCoordinate ? location : nil
    }
  }
#endif
