#if canImport(CoreLocation)
  #if os(iOS) || LOCOKIT_STAND_INS
    import CoreMotion
  #endif
  import Foundation

  /// The newest of Core Motion's activities. They arrive on another thread, and wait until the provider takes them.
  final class ActivitySensor {
    #if os(iOS) || LOCOKIT_STAND_INS
      private let activities = CMMotionActivityManager()
      private var news = Locked<MotionWatch.Reading?>(nil)

      func start() {
        // A new one each time: an activity that was on its way when the sensor was turned off must not count.
        let news = Locked<MotionWatch.Reading?>(nil)
        self.news = news
        activities.startActivityUpdates(to: OperationQueue()) { activity in
          // An activity of low confidence is no news: a better one follows soon.
          guard let activity, activity.confidence != .low else { return }
          news.change { $0 = MotionWatch.Reading(activity) }
        }
      }

      func stop() {
        news = Locked(nil)
        activities.stopActivityUpdates()
      }

      /// Returns the newest reading since the last call.
      func take() -> MotionWatch.Reading? {
        news.change { news in
          defer { news = nil }
          return news
        }
      }
    #else
      func start() {}
      func stop() {}
      func take() -> MotionWatch.Reading? { nil }
    #endif
  }

  #if os(iOS) || LOCOKIT_STAND_INS
    extension MotionWatch.Reading {
      init(_ activity: CMMotionActivity) {
        // A vehicle at a traffic light is stationary too, and starts without another activity.
        if activity.automotive {
          self = .motion(.vehicle)
        } else if activity.stationary {
          self = .motion(.still)
        } else if activity.walking || activity.running || activity.cycling {
          self = .motion(.walking)
        } else {
          self = .undetermined
        }
      }
    }
  #endif
#endif
