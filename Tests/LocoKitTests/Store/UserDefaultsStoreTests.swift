#if canImport(Darwin) || LOCOKIT_STAND_INS
  import Foundation
  import Testing

  @testable import LocoKit
  @testable import TestSupport

  @Suite("The store in user defaults")
  struct UserDefaultsStoreTests {
    private let here = Location(
      latitude: 48.137, longitude: 11.575, horizontalAccuracy: 8,
      timestamp: Date(timeIntervalSince1970: 1_800_000_000.25))

    @Test("A store in user defaults reads what it wrote, and moves damaged contents to another key")
    func userDefaults() throws {
      let suite = "UserDefaultsStoreTests-\(UUID().uuidString)"
      let defaults = try #require(UserDefaults(suiteName: suite))
      defer { defaults.removePersistentDomain(forName: suite) }
      let reports = Reports()
      let store = LastLocationStore(userDefaults: suite, report: reports.add)
      #expect(store.location == nil)
      store.location = here
      store.isPaused = true
      #expect(store.synchronize())
      #expect(LastLocationStore(userDefaults: suite).location == here)
      #expect(LastLocationStore(userDefaults: suite).isPaused)
      #expect(reports.all.isEmpty)
      defaults.set("something else", forKey: StoreDefaults.key)
      #expect(store.location == nil)
      #expect(reports.all.count == 1)
      #expect(defaults.string(forKey: StoreDefaults.unreadableKey) == "something else")
      #expect(store.location == nil && store.isPaused)
      #expect(reports.all.count == 1)
    }

    @Test("TTLocationHandler's location is carried over once, with an accuracy of 1,000 m, even at latitude 0")
    func carriedOver() throws {
      let suite = "UserDefaultsStoreTests-\(UUID().uuidString)"
      let defaults = try #require(UserDefaults(suiteName: suite))
      defer { defaults.removePersistentDomain(forName: suite) }
      let date = Date(timeIntervalSince1970: 1_400_000_000)
      defaults.set(["LATITUDE": 0.0, "LONGITUDE": 12.5, "TIME_STAMP": date], forKey: StoreDefaults.oldKey)
      let store = LastLocationStore(userDefaults: suite)
      let old = try #require(store.location)
      #expect(old == Location(latitude: 0, longitude: 12.5, horizontalAccuracy: 1_000, timestamp: date))
      store.isPaused = true
      #expect(store.synchronize())
      #expect(store.location == old)
      #expect(defaults.object(forKey: StoreDefaults.oldKey) == nil)
      defaults.set(["LATITUDE": 7.0, "LONGITUDE": 7.0, "TIME_STAMP": date], forKey: StoreDefaults.oldKey)
      #expect(store.location == old)
      store.location = nil
      #expect(store.synchronize())
      #expect(store.location == nil)
    }

    @Test("TTLocationHandler's default coordinates and an incomplete location are not carried over")
    func nothingInvented() throws {
      let suite = "UserDefaultsStoreTests-\(UUID().uuidString)"
      let defaults = try #require(UserDefaults(suiteName: suite))
      defer { defaults.removePersistentDomain(forName: suite) }
      defaults.set(45.0, forKey: "DEFAULT_LOCATION_LATITUDE")
      defaults.set(9.0, forKey: "DEFAULT_LOCATION_LONGITUDE")
      #expect(LastLocationStore(userDefaults: suite).location == nil)
      defaults.set(["LATITUDE": 1.0], forKey: StoreDefaults.oldKey)
      #expect(LastLocationStore(userDefaults: suite).location == nil)
    }
  }
#endif
