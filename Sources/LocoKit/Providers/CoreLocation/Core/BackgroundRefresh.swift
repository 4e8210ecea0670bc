/// The setting *Background App Refresh*, with the values of `UIBackgroundRefreshStatus`. The system launches the app in the background only
/// if the setting is available.
package enum BackgroundRefresh: Int, Equatable, Sendable {
  /// Not available, such as on a managed device or on a child's, and the user can't change that.
  case restricted
  /// Turned off by the user, or by the low-power mode.
  case denied
  case available
}
