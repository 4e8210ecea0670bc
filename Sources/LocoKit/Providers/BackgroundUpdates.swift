extension LocationManager {
  /// When coarse location updates keep an app running in the background while the GPS is off, so that it receives timers and motion.
  ///
  /// ```swift
  /// var configuration = SimulatedProvider.Configuration.phoneInBackground
  /// configuration.backgroundUpdates = .briefly
  /// ```
  ///
  /// A ``LocationProvider`` says what it can do, and the manager's ``ReceiverPlan/keepsAppRunning`` when it is needed. <doc:ChoosingABound> has
  /// the power of these updates on an iPhone 6. The cost on modern phones hasn't been measured.
  public enum BackgroundUpdates: String, CaseIterable, Codable, Hashable, Sendable {
    /// Never. In the background the motion sensor stays off. While the GPS is off, timers don't run there, and only regions, visits and
    /// significant changes wake the app.
    case never
    /// The same as ``whileMoving``, but with a bound below 200 m the waits are as short as with larger bounds. On recordings, a bound of 100 m
    /// then uses 0.37 instead of 0.42 % of an iPhone 6's battery per hour, and the error exceeds the bound for 9 instead of 6 % of the time in
    /// motion.
    case briefly
    /// Under an error bound, until the device has been still for a minute (two minutes after a failed look or a fast trip), or until 15 s after the system has
    /// reported the beginning of a visit. With a bound below 200 m, only two minutes of stillness count. If the system doesn't watch a region
    /// around the last fix, the app keeps running. The app may also be suspended while the device moves slowly: on foot, with a bound of about
    /// 500 m or more. The exit from the region, a visit or a significant change wakes the app.
    case whileMoving
    /// Under an error bound, even at rest: for bounds below 200 m, which the error otherwise exceeds in the first minutes after a rest. The
    /// updates at rest use another 1.2 % of an iPhone 6's battery per hour.
    case always
  }
}
