import LocoFoundation

/// The possible error since the last fix, and the time when it reaches the limit.
extension LookPlanner {
  /// The possible error of the last location, or of the estimate if the bound applies to it, at the end of a look that starts now.
  var error: Double { error(counter.moved + looks.lead) }

  /// Whether the error is at least half the bound, so that a region exit or a new cell starts a look during movement.
  var isHalfway: Bool { error >= settings.bound / 2 }

  func error(_ seconds: Double) -> Double { settings.isForEstimate ? growth(seconds) : reach(seconds) }

  /// Returns the possible distance from the last fix after a time of motion: at the speed of the fix at first, later at the trip's pace.
  func reach(_ seconds: Double) -> Double {
    let (pace, speed) = paceAndSpeed
    let reversion = isVehicle && speed < pace ? settings.vehicle.acceleration : TripPace.reversion
    return max(0, pace * seconds + (speed - pace) * reversion * (1 - exp(-seconds / reversion)))
  }

  /// Returns the possible distance from the estimate after a time of motion.
  func growth(_ seconds: Double) -> Double {
    reach(seconds) * (fix.map { DeadReckoning(fix: $0).uncertainty(after: seconds) } ?? 1)
  }

  /// The seconds of motion until a look is due regardless of the bound. There is no such limit if a motion sensor reports no vehicle,
  /// because the pace on foot hardly changes.
  var horizon: Double { settings.hearsMotion && !isVehicle ? .infinity : trip.horizon }

  /// The sensor's last report; `nil` without one, and without a sensor.
  var motion: LocationManager.Motion? { settings.hearsMotion ? counter.motion : nil }

  var isVehicle: Bool { motion?.isInVehicle == true }

  var paceAndSpeed: (Double, Double) {
    let pace = isVehicle ? max(trip.value, settings.vehicle.pace) : trip.value
    // A provider may report a negative speed for an unknown one.
    return (pace, max(0, fix?.speed ?? pace))
  }

  /// The seconds of motion until the error reaches the limit, by bisection. In the long run the error grows at least at the pace of a walk,
  /// so it reaches the limit.
  var motionUntilDue: Double {
    let limit = settings.limit
    var (low, high) = (0.0, limit / TripPace.least + TripPace.reversion)
    while error(high + looks.lead) < limit { high *= 2 }
    while high - low > 1e-4 {
      let middle = (low + high) / 2
      if error(middle + looks.lead) < limit { low = middle } else { high = middle }
    }
    return high
  }

  /// Returns the estimated position; `nil` before the first fix.
  func estimate(at date: Date) -> Location? {
    guard let fix else { return nil }
    let (reckoning, moved) = (DeadReckoning(fix: fix), counter.moved)
    guard let rest = phase.rest else {
      return reckoning.estimate(ahead: DeadReckoning.ahead(moved), growth: growth(moved), at: date)
    }
    let growth = rest.growth + (settings.hearsMotion ? reach(moved) : 0)
    var estimate = reckoning.estimate(ahead: rest.ahead, growth: growth, at: date)
    (estimate.speed, estimate.course) = (nil, nil)
    return estimate
  }
}
