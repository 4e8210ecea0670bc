/// Does what a listener has to do with a location, such as sending it, and keeps the system from suspending the app meanwhile.
///
/// ```swift
/// func locationManager(_ manager: LocationManager, didUpdate location: Location) {
///   Task {
///     await performInBackground("Sending the location") { await send(location) }
///   }
/// }
/// ```
///
/// An app that was woken in the background has seconds. On iOS, watchOS, tvOS and visionOS this asks for more, by
/// `ProcessInfo.performExpiringActivity`; the system may end it all the same, and then the work goes on when the app runs
/// again. Elsewhere the work is simply done.
///
/// - Parameters:
///   - reason: What for, in words for a log of the system's.
///   - work: What is done, in the isolation of the caller.
/// - Returns: What the work gives.
/// - Throws: What the work throws.
public func performInBackground<Result>(
  _ reason: String, _ work: () async throws -> Result
) async rethrows -> Result {
  let activity = BackgroundActivity(reason)
  defer { activity.end() }
  return try await work()
}
