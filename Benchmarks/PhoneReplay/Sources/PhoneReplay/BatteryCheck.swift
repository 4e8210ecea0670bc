import Foundation

/// A comparison of a battery's measured drop with the prediction of the power model.
public struct BatteryCheck: Hashable, Sendable {
  /// The outing.
  public var outing: String
  /// The phone.
  public var phone: String
  /// The phone's mode.
  public var mode: String
  /// The time from the first reading below 100 % to the last, in hours.
  public var hours: Double
  /// The hours with tracking on.
  public var hoursOn: Double
  /// The battery's drop, in percent.
  public var measured: Double
  /// The drop that the model predicts, in percent.
  public var predicted: Double

  /// The minimum drop of a checked run, in percent. Readings have steps of 1 %.
  public static let minimumDrop = 5.0
  /// The maximum error of a good prediction, as a share of the measured drop.
  public static let tolerance = 0.2

  /// Whether the prediction is within the tolerance.
  public var isGood: Bool { isGood(within: 0) }
  /// Whether the prediction is within the tolerance of a drop that is up to one percentage point larger or smaller, because readings are
  /// whole percents.
  public var isGoodWithinReadings: Bool { isGood(within: 1) }

  private func isGood(within percent: Double) -> Bool {
    let least = (measured - percent) * (1 - Self.tolerance)
    let most = (measured + percent) * (1 + Self.tolerance)
    return (least...most).contains(predicted)
  }

  /// Returns the checks of an outing's duty-cycled runs with a data connection and a sufficient drop.
  public static func check(_ outing: Outing) -> [BatteryCheck] {
    outing.phones.compactMap { check($0, of: outing) }.filter { $0.measured >= minimumDrop }
  }

  private static func check(_ phone: Phone, of outing: Outing) -> BatteryCheck? {
    guard phone.isDutyCycled, !phone.isOffline, phone.accuracy != .off, let capacity = Power.capacity[phone.name],
      let first = phone.battery.first(where: { $0.percent < 100 }), let last = phone.battery.last,
      last.time > first.time
    else { return nil }
    let classes = outing.classes(until: Int(last.time.rounded(.up)))
    let power = phone.accuracy.isBest ? Power.best : Power.coarse
    var millijoules = 0.0
    var secondsOn = 0.0
    var isOn = false
    var next = 0
    for second in Int(first.time)..<Int(last.time) {
      while next < phone.events.count, phone.events[next].time <= Double(second) {
        isOn = phone.events[next].turnsTracking ?? isOn
        next += 1
      }
      // A phone that waits at a stop uses the power at rest, though the wait belongs to the journey.
      let isMoving =
        classes.indices.contains(second) && classes[second].contains(.moving)
        && outing.truth.velocity(at: Double(second)).map { $0.speed > 0 } ?? true
      millijoules += isMoving ? Power.baseline.moving : Power.baseline.rest
      if isOn {
        millijoules += isMoving ? power.moving : power.rest
        secondsOn += 1
      }
    }
    return BatteryCheck(
      outing: outing.name, phone: phone.name, mode: phone.mode, hours: (last.time - first.time) / 3_600,
      hoursOn: secondsOn / 3_600, measured: first.percent - last.percent,
      predicted: millijoules / 3_600 / (Power.battery * capacity) * 100)
  }
}

extension Phone.StateEvent {
  /// Whether the event turns tracking on (`true`) or off (`false`) in a duty-cycled phone, or neither (`nil`).
  ///
  /// A visit's arrival turns tracking off, whether or not a trip end is recorded: no fixes follow it, and the battery's drop is
  /// small. The departure turns tracking on again.
  var turnsTracking: Bool? {
    switch event {
    case "TRIP_STARTED", "TRIP_RESTARTED", "VISIT_ENDED": true
    case "VISIT_STARTED", "TRIP_END_DETECTED", "TRIP_ENDED", "TRACKING_STOPPED": false
    default: nil
    }
  }
}
