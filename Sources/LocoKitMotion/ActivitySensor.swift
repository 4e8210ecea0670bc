#if canImport(CoreMotion) && (os(iOS) || LOCOKIT_STAND_INS)
  import CoreMotion
  import Foundation
  public import LocoKit
  import LocoMachine

  extension CoreLocationProvider.MotionSensor {
    /// A motion sensor that reads Core Motion's activities on an iPhone. It runs under an error bound: see
    /// `CoreLocationProvider.Configuration.motionSensor`.
    ///
    /// ```swift
    /// var configuration = CoreLocationProvider.Configuration()
    /// configuration.motionSensor = .coreMotion
    /// let manager = LocationManager(provider: CoreLocationProvider(configuration: configuration))
    /// manager.errorBound = 500
    /// ```
    public static var coreMotion: CoreLocationProvider.MotionSensor {
      CoreLocationProvider.MotionSensor(isAvailable: CMMotionActivityManager.isActivityAvailable()) { ActivitySensor() }
    }
  }

  /// Receives Core Motion's activities on another thread, and holds the newest one until the provider reads it.
  final class ActivitySensor: MotionReadings {
    private struct Newest {
      /// The newest known motion, until the provider reads it.
      var unread: LocationManager.Motion?
      var isSilent = false
    }

    private let activities = CMMotionActivityManager()
    private var newest = Locked(Newest())

    func start() {
      // Each start creates a new box, so that a late activity of the last run is ignored.
      let newest = Locked(Newest())
      self.newest = newest
      // The last activity counts, and an iPhone at rest may report no other for hours, so they are received in order.
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      activities.startActivityUpdates(to: queue) { activity in
        guard let activity else { return }
        guard let motion = LocationManager.Motion(activity) else { return newest.change { $0.isSilent = true } }
        // Activities of low confidence are dropped: a better one usually follows soon.
        if activity.confidence != .low { newest.change { $0 = Newest(unread: motion) } }
      }
    }

    func stop() {
      newest = Locked(Newest())
      activities.stopActivityUpdates()
    }

    /// Queries the activities that the system stored, and calls `pass` with at most the last 1,000 on another thread. Without the
    /// permission, the array is empty.
    func query(from start: Date, to end: Date, _ pass: @escaping @Sendable ([LocationManager.Motion.Change]) -> Void) {
      activities.queryActivityStarting(from: start, to: end, to: OperationQueue()) { activities, _ in
        pass(
          (activities ?? []).suffix(1_000).map { activity in
            LocationManager.Motion.Change(
              activity.confidence == .low ? nil : LocationManager.Motion(activity), at: activity.startDate)
          })
      }
    }

    /// Returns the newest reading since the last call, or `nil` if there is none.
    func next() -> LocationManager.Motion? {
      newest.change { newest in
        defer { newest.unread = nil }
        return newest.unread
      }
    }

    var isSilent: Bool { newest.change { $0.isSilent } }
  }

  extension LocationManager.Motion {
    /// Returns `nil` for an unknown activity and for one without a flag. At rest, both are frequent and short.
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
