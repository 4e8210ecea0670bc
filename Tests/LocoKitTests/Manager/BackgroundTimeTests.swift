import Foundation
import Testing

@testable import LocoKit

@Suite("The end of the time in the background")
struct BackgroundTimeTests {
  private static func expire(_ fixture: Fixture) { fixture.provider.report(.failure(.backgroundTimeExpired)) }

  @Test(
    "ends an acquisition with the best fix so far where that is acceptable, and as a failure otherwise",
    arguments: [(60.0, [60.0]), (500, []), (nil, [])] as [(Double?, [Double])])
  func acquisition(_ accuracy: Double?, _ delivered: [Double]) {
    let fixture = Fixture(in: .acquiring)
    if let accuracy { fixture.provider.fix(accuracy) }
    Self.expire(fixture)
    #expect(fixture.manager.state == .waitingSignificantChange && fixture.provider.mode == .significantChanges)
    #expect(fixture.recorder.locations.map(\.horizontalAccuracy) == delivered)
    #expect(fixture.recorder.failures.count == (delivered.isEmpty ? 1 : 0))
  }

  @Test("is followed by an acquisition with its whole time")
  func next() {
    let fixture = Fixture(in: .acquiring)
    Self.expire(fixture)
    fixture.manager.forceAcquireLocation()
    fixture.provider.pass(14)
    #expect(fixture.manager.state == .acquiring)
    fixture.provider.fix(60)
    #expect(fixture.manager.state == .acquiring)
  }

  @Test(
    "ends a look that would keep the receiver on, and no other one begins before the app runs again",
    arguments: [.significantChange(nil), .wakeSources([.significantChanges, .timersWhileAsleep])] as [ProviderReport])
  func staysOn(_ wake: ProviderReport) {
    let fixture = Fixture(in: .waitingSignificantChange)
    let provider = fixture.provider
    fixture.manager.errorBound = 100
    func fix() {
      provider.report(
        .fixes([
          Location(
            latitude: 34.1, longitude: -118.3, horizontalAccuracy: 60, speed: 40, course: 0, timestamp: provider.date)
        ]))
    }
    fixture.manager.forceAcquireLocation()
    fix()
    provider.pass(15)
    #expect(fixture.manager.state == .acquiring, "it is too fast for the receiver to go off")
    provider.pass(1)
    fix()
    Self.expire(fixture)
    #expect(fixture.manager.state == .waitingSignificantChange)
    fix()
    #expect(fixture.manager.state == .waitingSignificantChange, "a fix that comes late begins no look")
    provider.report(wake)
    #expect(fixture.manager.state == .acquiring)
  }

  @Test("leaves tracking as it is, and is nothing in any other state", arguments: LocationState.allCases)
  func others(_ state: LocationState) {
    let fixture = Fixture(in: state)
    if state == .acquiring { _ = fixture.manager.want(.every(TrackFilter(.best))) }
    let commands = fixture.provider.commands
    Self.expire(fixture)
    #expect(fixture.manager.state == state && fixture.provider.commands == commands)
  }
}
