#if canImport(CoreLocation)
  #if os(iOS) || LOCOKIT_STAND_INS
    import CoreMotion
  #endif
  import Foundation

  /// How the device moves, as Core Motion says on a thread of its own: kept until the provider looks at it.
  final class ActivitySensor {
    private(set) var isOn = false
    /// How the device moves; `nil` where that is not known, such as before the user has allowed the sensor.
    private(set) var last: Motion?

    #if os(iOS) || LOCOKIT_STAND_INS
      /// An activity of Core Motion.
      private enum Reading {
        case motion(Motion)
        case undetermined
      }

      private let activities = CMMotionActivityManager()
      private var news = Locked<Reading?>(nil)
      /// The last reading, while it is not believed yet.
      private var pending: Reading?

      func set(_ isOn: Bool) {
        guard isOn != self.isOn else { return }
        (self.isOn, last, pending) = (isOn, nil, nil)
        guard isOn else { return activities.stopActivityUpdates() }
        // A new one each time: what was on its way when it was turned off must not count.
        let news = Locked<Reading?>(nil)
        self.news = news
        activities.startActivityUpdates(to: OperationQueue()) { activity in
          // A guess of low confidence is no news: what follows soon is better.
          guard let activity, activity.confidence != .low else { return }
          news.change { $0 = Motion(activity).map(Reading.motion) ?? .undetermined }
        }
      }

      /// Takes over what is new since the last call: the newest alone.
      ///
      /// - Parameter mayBeStill: Whether it is believed that the device is still. A ride that is smooth is called stationary too.
      func update(mayBeStill: Bool) {
        let reading = news.change { news in
          defer { news = nil }
          return news
        }
        pending = reading ?? pending
        guard isOn, let pending else { return }
        switch pending {
        case .motion(.still) where !mayBeStill: return
        case .motion(let motion): last = motion
        // A pedestrian may have boarded a train. At rest an unknown activity is frequent, and means nothing.
        case .undetermined: if last == .walking { last = nil }
        }
        self.pending = nil
      }
    #else
      func set(_ isOn: Bool) {}
      func update(mayBeStill: Bool) {}
    #endif
  }

  #if os(iOS) || LOCOKIT_STAND_INS
    extension Motion {
      /// `nil` where the sensor does not know.
      init?(_ activity: CMMotionActivity) {
        // A vehicle at a light is stationary too, and goes on without a word.
        if activity.automotive {
          self = .vehicle
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
