import Foundation
import LocoKit
import LocoKitSimulation
import Testing

@testable import TestSupport

@MainActor
@Suite("Examples of judging fixes")
final class JudgingExamples {
  private let device = SimulatedProvider(route: .losAngeles, seed: 1)
  private var printed: [String] = []

  private func print(_ item: Any) { printed.append("\(item)") }

  private func frugal(_ provider: any LocationProvider) -> LocationManager {
    // shown: AcquisitionPolicy.swift: var policy
    return manager
  }

  @Test("A policy with a coarser desired accuracy needs less GPS time")
  func policy() {
    let other = SimulatedProvider(route: .losAngeles, seed: 1)
    let managers = [LocationManager(provider: device), frugal(other)]
    for manager in managers { manager.tryPromptAuthorization() }
    for device in [device, other] { device.advance(by: .seconds(1_800)) }
    #expect(other.energy.gpsOn / device.energy.gpsOn < 0.9)
  }

  @MainActor
  final class Statistics: @MainActor LocationManagerListener {
    private(set) var rejections: [RejectionReason: Int] = [:]
    private(set) var warning: String?

    // shown: RejectionReason.swift: func locationManager(
  }

  @Test("Rejections are counted by reason")
  func reasons() {
    let manager = LocationManager(provider: device)
    let statistics = Statistics()
    manager.listeners.add(statistics)
    manager.tryPromptAuthorization()
    device.authorization = .always
    let fix = Location(latitude: 34, longitude: -118, horizontalAccuracy: 8, timestamp: device.date + 60)
    device.deliver([fix, fix])
    #expect(statistics.rejections == [.futureDated: 2] && statistics.warning != nil)
  }
}
