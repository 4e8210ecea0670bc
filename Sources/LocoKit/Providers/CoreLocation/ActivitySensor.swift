#if canImport(CoreLocation)
  #if os(iOS) || LOCOKIT_STAND_INS
    import CoreMotion
  #endif
  import Foundation

  /// The newest of Core Motion's activities. They arrive on another thread, and wait until the provider takes them.
  final class ActivitySensor {
    #if os(iOS) || LOCOKIT_STAND_INS
      private let activities = CMMotionActivityManager()
      private var news = Locked<Motion?>(nil)

      func start() {
        // A new one each time: an activity that was on its way when the sensor was turned off must not count.
        let news = Locked<Motion?>(nil)
        self.news = news
        activities.startActivityUpdates(to: OperationQueue()) { activity in
          // An activity of low confidence is no news: a better one follows soon.
          guard let activity, activity.confidence != .low, let motion = Motion(activity) else { return }
          news.change { $0 = motion }
        }
      }

      func stop() {
        news = Locked(nil)
        activities.stopActivityUpdates()
      }

      /// Asks for the activities that the system stored, and passes them on from another thread. Without a permission there is no answer.
      func query(from start: Date, to end: Date, _ pass: @escaping @Sendable ([Motion.Change]) -> Void) {
        activities.queryActivityStarting(from: start, to: end, to: OperationQueue()) { activities, _ in
          pass(
            (activities ?? []).suffix(Self.mostStored).map { activity in
              Motion.Change(activity.confidence == .low ? nil : Motion(activity), at: activity.startDate)
            })
        }
      }

      private static let mostStored = 1_000

      /// Returns the newest reading since the last call.
      func take() -> Motion? {
        news.change { news in
          defer { news = nil }
          return news
        }
      }
    #else
      func start() {}
      func stop() {}
      func take() -> Motion? { nil }
      func query(from start: Date, to end: Date, _ pass: @escaping @Sendable ([Motion.Change]) -> Void) {}
    #endif
  }

  #if os(iOS) || LOCOKIT_STAND_INS
    extension Motion {
      /// `nil` for an activity without a flag and for an unknown one: both are frequent at rest, and say nothing.
      init?(_ activity: CMMotionActivity) {
        if activity.automotive {
          self = activity.stationary ? .standing : .vehicle
        } else if activity.stationary {
          self = .still
        } else if activity.walking || activity.running || activity.cycling {
          self = .walking
        } else {
          return nil
        }
      }
    }
  #endif
#endif
