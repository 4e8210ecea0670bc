import Foundation

/// Whether the power of the model explains what the batteries lost.
public struct BatteryCheck: Hashable, Sendable {
  /// The outing.
  public var outing: String
  /// The phone.
  public var phone: String
  /// The phone's mode.
  public var mode: String
  /// From the first reading below 100 % to the last, in hours.
  public var hours: Double
  /// For how many of these hours tracking was on.
  public var hoursOn: Double
  /// Percent that the battery lost.
  public var measured: Double
  /// Percent that it would lose by the model.
  public var predicted: Double

  /// A run in which the battery lost less is not judged: readings have steps of 1 %.
  public static let leastDrop = 5.0
  /// How far a prediction may be off, as a share of what was measured.
  public static let tolerance = 0.2

  /// Whether the prediction is near enough.
  public var isGood: Bool { isGood(within: 0) }
  /// Whether it is with a drop that is a percent more or less: both readings are whole percents.
  public var isGoodWithinReadings: Bool { isGood(within: 1) }

  private func isGood(within percent: Double) -> Bool {
    let least = (measured - percent) * (1 - Self.tolerance)
    let most = (measured + percent) * (1 + Self.tolerance)
    return (least...most).contains(predicted)
  }

  /// Checks the duty-cycled runs of an outing with enough of a drop and a data connection.
  public static func check(_ outing: Outing) -> [BatteryCheck] {
    outing.phones.compactMap { check($0, of: outing) }.filter { $0.measured >= leastDrop }
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
      // A phone that waits at a stop takes the power of rest, though the wait belongs to the journey.
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
  /// Whether the event turns tracking on or off in a duty-cycled phone; `nil` where it does neither.
  ///
  /// A visit's arrival turns it off before the trip's end is stated, and where that is never stated: no fixes come then, and
  /// the battery lasts. The departure turns it on again.
  var turnsTracking: Bool? {
    switch event {
    case "TRIP_STARTED", "TRIP_RESTARTED", "VISIT_ENDED": true
    case "VISIT_STARTED", "TRIP_END_DETECTED", "TRIP_ENDED", "TRACKING_STOPPED": false
    default: nil
    }
  }
}
