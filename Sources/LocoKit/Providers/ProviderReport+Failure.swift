extension ProviderReport {
  /// A failure of a provider.
  ///
  /// ```swift
  /// func tripRecorder(_ recorder: TripRecorder, didFail failure: ProviderReport.Failure) {
  ///   switch failure {
  ///   case .locationUnknown: lines.append("no sky")
  ///   case .accessDenied: lines.append("no permission")
  ///   case .backgroundTimeExpired: lines.append("about to be suspended")
  ///   case .other(let words): lines.append(words)
  ///   }
  /// }
  /// ```
  public enum Failure: Error, Hashable, Sendable {
    /// There is no fix at present. The receiver keeps searching.
    case locationUnknown
    /// The app has no permission.
    case accessDenied
    /// The system is about to suspend the app. An acquisition ends now, with the best fix so far if that is acceptable. Consumers of
    /// every location keep the receiver on, and receive nothing until the app runs again.
    case backgroundTimeExpired
    /// Any other failure, described for a log. The description contains no location.
    case other(String)
  }
}
