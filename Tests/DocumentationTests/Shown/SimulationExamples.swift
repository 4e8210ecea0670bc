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
    // shown: SimulatedProvider.swift: let provider
    return manager
  }

  @Test("A simulated half hour gives a location and some GPS time")
  func simulates() {
    #expect(simulate().location != nil)
    #expect(printed.count == 1 && printed[0].hasSuffix(" seconds") && printed[0] != "0.0 seconds")
  }

  private func waits(_ manager: LocationManager) async throws -> Location {
    // shown: SimulatedProvider+Clock.swift: let place
    return place
  }

  @Test("The device advances until an awaited location arrives")
  func advances() async throws {
    let manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    #expect(try await waits(manager).horizontalAccuracy <= 100)
  }

  private func open() -> LocationManager {
    // shown: SimulatedProvider+Commands.swift: device.terminate(
    return manager
  }

  @Test("A relaunched app finds a location")
  func launches() {
    let manager = open()
    device.advance(by: .seconds(60))
    #expect(manager.location != nil)
  }

  private func routes(_ file: URL) throws -> [SimulatedProvider.Route] {
    // shown: Route.swift: let drive
    return [drive, hike, commute]
  }

  private func read(_ file: URL) throws -> SimulatedProvider {
    // shown: GPXTrack.swift: let track
    return provider
  }

  private func notify(_ file: URL) {
    do {
      print(try SimulatedProvider.GPXTrack(contentsOf: file).route.duration)
    } catch {
      print(error.isMissing ? "There is no such file." : "line \(error.line): \(error.reason)")
    }
  }

  @Test("A GPX file is read as a route with notes, and an invalid file throws an error with a line")
  func track() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).gpx")
    notify(file)
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
    notify(file)
    #expect(printed.count == 3 && printed[2].hasPrefix("line "))
  }

  private func share() -> (device: SimulatedProvider, light: MachineRunner<TrafficLight>) {
    // shown: SimulatedProvider+Clock.swift: let device
    return (device, light)
  }

  @Test("A device's clock advances with the device")
  func clock() {
    let (device, light) = share()
    #expect(device.uptime == .seconds(600) && device.clock.now.offset == .seconds(600))
    #expect(light.recentTransitions.count == 32 && light.timeUntilDeadline == .milliseconds(500))
  }

  private func standalone() -> SimulatedProvider {
    // shown: ReceiverModel.swift: var configuration
    return device
  }

  /// Returns the time to the first fix after the GPS is turned on.
  private func firstFix(_ device: SimulatedProvider) -> Duration {
    var first: Duration?
    device.onReport = ProviderReport.Handler { if case .fixes = $0 { first = first ?? device.uptime } }
    device.authorization = .always
    var plan = ReceiverPlan()
    plan.mode = .gps
    device.apply(plan)
    device.advance(by: .seconds(300))
    return first ?? .zero
  }

  @Test("A standalone receiver needs more than twice as long as a phone's for its first fix")
  func models() {
    #expect(firstFix(standalone()) > firstFix(device) * 2)
  }

  private func disturb() {
    // shown: Faults.swift: device.faults
  }

  @Test("A manager waits for significant changes again after the device's faults end")
  func faults() {
    let manager = LocationManager(provider: device)
    var refused = 0
    let token = manager.listeners.add(onTransition: { if $0.event == .acquisitionFailed { refused += 1 } })
    manager.tryPromptAuthorization()
    disturb()
    #expect(refused > 0)
    device.authorization = .always
    manager.tryPromptAuthorization()
    manager.resume()
    manager.forceAcquireLocation()
    device.advance(by: .seconds(60))
    #expect(manager.state == .waitingSignificantChange)
    withExtendedLifetime(token) {}
  }

  private func spend(_ device: SimulatedProvider) {
    // shown: EnergyProfile.swift: let energy
  }

  private func compare() -> [Double] {
    // shown: EnergyProfile.swift: var configuration
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
