import Foundation
import LocoKit
import LocoKitSimulation
import LocoKitTrips
import Testing

@testable import TestSupport

@MainActor
@Suite("Examples of trips")
final class TripExamples {
  private let device = SimulatedProvider(route: .losAngeles, seed: 1)
  private let manager: LocationManager
  private var printed: [String] = []

  init() {
    manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
  }

  private func print(_ item: Any) { printed.append("\(item)") }

  private func record(_ drive: () -> Void) {
    // shown: TripRecorder.swift: let trip
  }

  @Test("A recorded trip has a distance and a duration")
  func records() throws {
    record { device.advance(by: .seconds(300)) }
    let line = try #require(printed.first)
    #expect(line.hasSuffix(" m in 300.0 seconds"))
    #expect(try #require(Double(line.prefix { $0 != " " })) > 5_000)
  }

  @MainActor
  final class Trips: @MainActor TripRecorderListener {
    private let manager: LocationManager
    private let store: TripRecorder.Store
    private var trips: TripRecorder?
    private(set) var lines: [String] = []
    private(set) var files: [String] = []
    private(set) var uploads: [String] = []

    init(_ manager: LocationManager, _ store: TripRecorder.Store) { (self.manager, self.store) = (manager, store) }

    func begin() {
      // shown: TripRecorder.swift: trips = TripRecorder.automatic(manager, store: sto
    }

    // shown: Trip.swift: func tripRecorder(

    private func upload(_ text: String) async throws { uploads.append(text) }

    func send() async throws {
      // shown: TripRecorder+Store.swift: for trip in try await store.trips(
    }

    private func draw(_ segments: [ArraySlice<Location>]) { files += segments.map { "\($0.count) fixes" } }

    func show() async throws {
      // shown: TripRecorder+Store.swift: let list = try await store.trips(withFixes
    }
  }

  @Test("An automatic recorder finds a day's trips on a phone, and a store keeps them until they're removed")
  func automatic() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trips-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let home = (latitude: 34.0, longitude: -118.0)
    let route = SimulatedProvider.Route(waypoints: [
      .init(latitude: home.latitude, longitude: home.longitude, speed: 12, pause: .seconds(7_200)),
      .init(latitude: 34.1, longitude: -118, speed: 1.4, pause: .seconds(7_200)),
      .init(latitude: 34.115, longitude: -118, speed: 12, pause: .seconds(7_200)),
      .init(latitude: home.latitude, longitude: home.longitude, pause: .seconds(40_000)),
    ])
    let device = SimulatedProvider(route: route, seed: 1, configuration: .phoneInBackground)
    let store = TripRecorder.Store(folder: folder)
    let app = Trips(LocationManager(provider: device), store)
    app.begin()
    device.advance(by: .seconds(36_000))
    #expect(app.lines.count == 3 && app.files.allSatisfy { $0.contains("<trkpt") }, "\(app.lines)")
    try await app.send()
    #expect(app.uploads.count == 3)
    let left = try await store.trips()
    #expect(left.isEmpty)
  }

  @MainActor
  final class Dashboard: @MainActor TripRecorderListener {
    private(set) var text = ""
    private(set) var hint: String?

    // shown: TripRecorderListener.swift: func tripRecorder(_ recorder: TripRecorder, didChangeDistance distance: Double) {
  }

  @MainActor
  final class Signal: @MainActor TripRecorderListener {
    private(set) var bars = 0
    private(set) var lines: [String] = []

    // shown: TripRecorder.swift: func tripRecorder(_ recorder: TripRecorder, didChangeSignal strength: TripRecorder.SignalStrength) {

    // shown: ProviderReport+Failure.swift: func tripRecorder(
  }

  struct Button {
    let trip: TripRecorder

    // shown: TripState.swift: var title
  }

  @Test("A trip's listeners receive its distance and its signal, and a button's title follows the trip's state")
  func listens() {
    let trip = TripRecorder(manager)
    let dashboard = Dashboard()
    let signal = Signal()
    trip.listeners.add(dashboard)
    trip.listeners.add(signal)
    let button = Button(trip: trip)
    #expect(button.title == "Start")
    trip.start()
    #expect(button.title == "Stop")
    device.advance(by: .seconds(60))
    #expect(dashboard.text == "\(Int(trip.distance)) m")
    #expect(signal.bars == 3 && dashboard.hint == nil)
    device.onReport?(.failure(.locationUnknown))
    device.onReport?(.failure(.other("the antenna is loose")))
    #expect(signal.lines == ["no sky", "the antenna is loose"])
  }
}
