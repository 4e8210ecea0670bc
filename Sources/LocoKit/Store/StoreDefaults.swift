#if canImport(Darwin) || LOCOKIT_STAND_INS
  import LocoDurable
  import LocoFoundation

  /// A store's contents in user defaults.
  package struct StoreDefaults: StoreBacking {
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
          throw Unreadable("it isn't in LocoKit's format")
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
      removeCarriedOver()
      return problem
    }

    /// Removes TTLocationHandler's last location. Otherwise it would outlast an app that forgets all places.
    func removeCarriedOver() { try? defaults().removeObject(forKey: Self.oldKey) }

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
