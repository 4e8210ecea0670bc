#if canImport(CoreLocation)
  #if os(iOS) || LOCOKIT_STAND_INS
    import CoreMotion
  #endif
  import Foundation

  /// How the device moves, as Core Motion says on a thread of its own: kept until the provider looks at it.
  final class ActivitySensor {
    private(set) var isOn = false
    /// What was said last; `nil` before anything was said since it was turned on, such as while the user has not allowed it.
    private(set) var last: Motion?

    #if os(iOS) || LOCOKIT_STAND_INS
      private let activities = CMMotionActivityManager()
      private var news = Locked<Motion?>(nil)

      func set(_ isOn: Bool) {
        guard isOn != self.isOn else { return }
        (self.isOn, last) = (isOn, nil)
        guard isOn else { return activities.stopActivityUpdates() }
        // A new one each time: what was on its way when it was turned off must not count.
        let news = Locked<Motion?>(nil)
        self.news = news
        activities.startActivityUpdates(to: OperationQueue()) { activity in
          guard let activity, let motion = Motion(activity) else { return }
          news.change { $0 = motion }
        }
      }

      /// What is new since the last call: the newest alone.
      func take() -> Motion? {
        let motion = news.change { news in
          defer { news = nil }
          return news
        }
        guard isOn, let motion, motion != last else { return nil }
        last = motion
        return motion
      }
    #else
      func set(_ isOn: Bool) {}
      func take() -> Motion? { nil }
    #endif
  }

  #if os(iOS) || LOCOKIT_STAND_INS
    extension Motion {
      /// `nil` for a guess: what follows soon is better.
      init?(_ activity: CMMotionActivity) {
        guard activity.confidence != .low else { return nil }
        // A vehicle at a light is stationary too, and goes on without a word.
        if activity.automotive {
          self = .vehicle
        } else if activity.stationary {
          self = .still
        } else {
          self = .walking
        }
      }
    }
  #endif
#endif
