import Foundation
@_spi(Benchmarks) import LocoKit
@_spi(Benchmarks) import LocoKitSimulation
@_spi(Benchmarks) import LocoMachine
import Testing

@testable import TestSupport

@MainActor
@Suite("Examples of a simulated device")
final class SimulationExamples {
  private let device = SimulatedProvider(route: .losAngeles, seed: 1)
  private var printed: [String] = []

  private func print(_ item: Any) { printed.append("\(item)") }

  private func simulate() -> LocationManager {
    let provider = SimulatedProvider(route: .losAngeles, seed: 1)
    let manager = LocationManager(provider: provider)
    manager.tryPromptAuthorization()
    provider.advance(by: .seconds(1_800))
    print(provider.energy.gpsOn)  // how long the GPS was on
    return manager
  }

  @Test("A simulated half hour gives a location and some GPS time")
  func simulates() {
    #expect(simulate().location != nil)
    #expect(printed.count == 1 && printed[0].hasSuffix(" seconds") && printed[0] != "0.0 seconds")
  }

  private func waits(_ manager: LocationManager) async throws -> Location {
    let place = try await device.advance(atMost: .seconds(60)) { try await manager.acquire() }
    return place
  }

  @Test("The device advances until an awaited location arrives")
  func advances() async throws {
    let manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    #expect(try await waits(manager).horizontalAccuracy <= 100)
  }

  private func open() -> LocationManager {
    device.terminate()
    device.launch()
    let manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    return manager
  }

  @Test("A relaunched app finds a location")
  func launches() {
    let manager = open()
    device.advance(by: .seconds(60))
    #expect(manager.location != nil)
  }

  private func routes(_ file: URL) throws -> [SimulatedProvider.Route] {
    let drive = SimulatedProvider.Route.losAngeles  // built in
    let hike = try SimulatedProvider.GPXTrack(contentsOf: file).route  // recorded
    let commute = SimulatedProvider.Route(waypoints: [
      .init(latitude: 34.05, longitude: -118.24),
      .init(latitude: 34.10, longitude: -118.33, speed: 20, entersTunnel: true),
      .init(latitude: 34.11, longitude: -118.34, speed: 20, pause: .seconds(600), isIndoors: true),
      .init(latitude: 34.14, longitude: -118.36),
    ])
    return [drive, hike, commute]
  }

  private func read(_ file: URL) throws -> SimulatedProvider {
    let track = try SimulatedProvider.GPXTrack(contentsOf: file)
    for note in track.notes { print(note) }  // what was dropped or assumed
    let provider = SimulatedProvider(route: track.route, seed: 1)
    return provider
  }

  private func tell(_ file: URL) {
    do {
      print(try SimulatedProvider.GPXTrack(contentsOf: file).route.duration)
    } catch {
      print(error.isMissing ? "There is no such file." : "line \(error.line): \(error.reason)")
    }
  }

  @Test("A GPX file is read as a route with notes, or throws an error with a line")
  func track() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).gpx")
    tell(file)
    #expect(printed == ["There is no such file."])
    defer { try? FileManager.default.removeItem(at: file) }
    let points = ["34.00", "34.01", "134"].enumerated().map { minute, latitude in
      "<trkpt lat=\"\(latitude)\" lon=\"-118\"><time>2026-05-03T19:0\(minute):00Z</time></trkpt>"
    }
    try Data("<gpx><trk><trkseg>\n\(points.joined(separator: "\n"))\n</trkseg></trk></gpx>".utf8).write(to: file)
    let all = try routes(file)
    #expect(all.map(\.duration)[1] == .seconds(60))
    #expect(all[2].outages.count == 1 && all[2].indoors.count == 1)
    #expect(try read(file).route == all[1])
    #expect(printed.count == 2 && printed[1].contains("without a usable coordinate"))
    try Data("<gpx>\n<trk>\n".utf8).write(to: file)
    tell(file)
    #expect(printed.count == 3 && printed[2].hasPrefix("line "))
  }

  private func share() -> (device: SimulatedProvider, light: MachineRunner<TrafficLight>) {
    let device = SimulatedProvider(route: .losAngeles, seed: 1)
    let light = MachineRunner<TrafficLight>(clock: device.clock) { _, _ in }
    device.advance(by: .seconds(600))  // the device drives on, and the light's deadlines fire
    return (device, light)
  }

  @Test("A device's clock advances with the device")
  func clock() {
    let (device, light) = share()
    #expect(device.uptime == .seconds(600) && device.clock.now.offset == .seconds(600))
    #expect(light.recentTransitions.count == 32 && light.nextDeadline == .milliseconds(500))
  }

  private func standalone() -> SimulatedProvider {
    var configuration = SimulatedProvider.Configuration()
    configuration.receiver = .standalone
    configuration.receiver.coldStart = .seconds(45)
    let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
    return device
  }

  /// Returns the time to the first fix after the GPS is turned on.
  private func firstFix(_ device: SimulatedProvider) -> Duration {
    var first: Duration?
    device.onReport = { if case .fixes = $0 { first = first ?? device.uptime } }
    device.setAuthorization(.always)
    device.setMode(.gps)
    device.advance(by: .seconds(300))
    return first ?? .zero
  }

  @Test("A standalone receiver takes more than twice as long to its first fix")
  func models() {
    #expect(firstFix(standalone()) > firstFix(device) * 2)
  }

  private func disturb() {
    device.faults = SimulatedProvider.Faults(.many, seed: 7)
    device.advance(by: .seconds(3_600))
    device.faults = .none  // the worst is over: what does the app do now?
  }

  @Test("A manager finds a location again after the device's faults end")
  func faults() {
    let manager = LocationManager(provider: device)
    var refused = 0
    let token = manager.listeners.add(onTransition: { if $0.event == .acquisitionFailed { refused += 1 } })
    manager.tryPromptAuthorization()
    disturb()
    #expect(refused > 0)
    device.setAuthorization(.always)
    manager.tryPromptAuthorization()
    manager.resume()
    manager.forceAcquireLocation()
    device.advance(by: .seconds(60))
    #expect(manager.state == .waitingSignificantChange)
    withExtendedLifetime(token) {}
  }

  private func spend(_ device: SimulatedProvider) {
    let energy = device.energy
    print("GPS on for \(energy.gpsOn) in \(energy.gpsStarts) starts, and \(energy.wakes) wakes")
  }

  private func compare() -> [Double] {
    var configuration = SimulatedProvider.Configuration()
    configuration.energyProfile = .init(name: "watch", gpsPower: 0.060, tail: .seconds(5), wakeEnergy: 0.1)
    let device = SimulatedProvider(route: .losAngeles, seed: 1, configuration: configuration)
    let manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(1_800))
    print("\(device.energy.joules(configuration.energyProfile)) J")
    withExtendedLifetime(manager) {}
    return [device.energy.joules(configuration.energyProfile), device.energy.joules(.phone)]
  }

  @Test("The energy spent depends on the energy profile")
  func energy() {
    spend(device)
    #expect(printed == ["GPS on for 0.0 seconds in 0 starts, and 0 wakes"])
    let joules = compare()
    #expect(joules[0] > 0 && joules[1] > joules[0])
  }
}
