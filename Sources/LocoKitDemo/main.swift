import Foundation
import LocoKit

final class L: LocationManagerListener {
  func locationManager(_ manager: LocationManager, didUpdate location: Location) {
    print("update", location.horizontalAccuracy)
  }
  func locationManager(_ manager: LocationManager, didTransition t: Transition) { print(t.date, t.from, t.event, t.to) }
  func locationManager(_ manager: LocationManager, didFailToAcquire f: AcquisitionFailure) { print(f) }
}
for trigger in SimulatedProvider.Trigger.allCases {
  var c = SimulatedProvider.Configuration()
  c.trigger = trigger
  let p = SimulatedProvider(route: .losAngeles, seed: 1, configuration: c)
  let m = LocationManager(provider: p)
  let l = L()
  m.listeners.add(l)
  m.tryPromptAuthorization()
  let t0 = Date()
  p.advance(by: .seconds(1800))
  print(p.energy, Date().timeIntervalSince(t0), "s; route", p.route.points.count)
  withExtendedLifetime(l) {}
}
