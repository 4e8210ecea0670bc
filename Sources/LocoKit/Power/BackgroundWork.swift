import LocoDurable

/// Performs a listener's work with a location, such as sending it, and asks the system not to suspend the app before the work is done.
///
/// ```swift
/// func locationManager(_ manager: LocationManager, didUpdate location: Location) {
///   Task {
///     await performInBackground("Sending the location") { await send(location) }
///   }
/// }
/// ```
///
/// An app that is woken in the background has a few seconds. On iOS, watchOS, tvOS and visionOS, this function asks for more with
/// `ProcessInfo.performExpiringActivity`. The system may still suspend the app; the work then continues when the app runs again. On a Mac,
/// this function keeps App Nap from delaying the work. On Linux it only performs the work. Calls at the same time share one request to the system,
/// with the reason of the first.
///
/// - Parameters:
///   - reason: The purpose, for the system's log.
///   - work: The work, in the caller's isolation.
/// - Returns: The result of `work`.
/// - Throws: The error of `work`.
public func performInBackground<Result>(
  _ reason: String, _ work: () async throws -> Result
) async rethrows -> Result {
  SharedBackgroundActivity.shared.begin(reason)
  defer { SharedBackgroundActivity.shared.end() }
  return try await work()
}
