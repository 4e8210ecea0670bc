extension ProviderReport {
  /// A manager's handler for the reports of its provider. A provider calls it like a function: `onReport?(.fixes([fix]))`.
  ///
  /// A provider that wraps another one can see its reports, change them or drop them:
  ///
  /// ```swift
  /// var onReport: ProviderReport.Handler? {
  ///   get { base.onReport }
  ///   set {
  ///     base.onReport = newValue.map { next in
  ///       ProviderReport.Handler(before: next) { report in
  ///         if case .wake(.motion) = report { return }
  ///         next(report)
  ///       }
  ///     }
  ///   }
  /// }
  /// ```
  public struct Handler {
    /// Handles a report; `nil` releases the manager.
    private let handle: (ProviderReport?) -> Void

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - next: The handler of the manager, if the new one passes reports on to it. When another manager replaces that manager, the new
    ///     handler tells it.
    ///   - receive: Receives a report, in the isolation of the manager's owner.
    public init(before next: ProviderReport.Handler? = nil, _ receive: @escaping (_ report: ProviderReport) -> Void) {
      self.init(handle: { report in
        if let report { receive(report) } else { next?.releaseManager() }
      })
    }

    private init(handle: @escaping (ProviderReport?) -> Void) { self.handle = handle }

    /// Returns the handler of a manager. `nil` instead of a report means that another manager has taken over the provider.
    static func ofManager(_ handle: @escaping (_ report: ProviderReport?) -> Void) -> Self { Self(handle: handle) }

    /// Passes a report to the manager.
    public func callAsFunction(_ report: ProviderReport) { handle(report) }

    /// Makes the manager turn off its hardware, fail its requests and ignore all further commands.
    package func releaseManager() { handle(nil) }
  }
}
