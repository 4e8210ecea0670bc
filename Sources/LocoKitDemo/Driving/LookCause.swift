import LocoKit

/// The reason why the GPS was turned on, with its words for a report.
enum LookCause: Hashable, CaseIterable {
  case bound, retry, rest
  case wake(WakeKind)
  /// The app forced a location or requested one, ended a pause, or received the permission.
  case forced, resumed, first
  case tracking

  static let allCases: [Self] =
    [.bound, .retry, .rest] + WakeKind.allCases.filter { $0.mayCauseLook }.map { .wake($0) }
    + [.forced, .resumed, .first, .tracking]

  /// The cause of a look; `nil` if the manager reports the start by another call.
  init?(_ cause: LocationManager.Cause) {
    switch cause {
    case .bound: self = .bound
    case .retry: self = .retry
    case .rest: self = .rest
    case .wake(let kind): self = .wake(kind)
    case .tracking: self = .tracking
    case .command, .backgroundUpdate: return nil
    }
  }

  var name: String {
    switch self {
    case .bound: "bound"
    case .retry: "retry"
    case .rest: "rest"
    case .wake(let kind): kind.rawValue
    case .forced: "forced"
    case .resumed: "resumed"
    case .first: "first"
    case .tracking: "tracking"
    }
  }

  /// The cause in a few words.
  var words: String {
    switch self {
    case .bound: "error bound"
    case .retry: "retry"
    case .rest: "rest"
    case .wake(let kind): kind.facts.cause
    case .forced: "requested by the app"
    case .resumed: "resumed after a pause"
    case .first: "first location"
    case .tracking: "tracking"
    }
  }

  /// The cause as a sentence; `nil` for that of the error bound, which depends on the bound.
  var sentence: String? {
    switch self {
    case .bound: nil
    case .retry: "The look before found nothing, so the manager looks again."
    case .rest: "The device came to rest: a last look finds where it stays."
    case .wake(let kind): kind.facts.sentence
    case .forced: "The app asked for a location."
    case .resumed: "The app ended its pause."
    case .first: "The permission is granted: the first location."
    case .tracking: "The app tracks the device."
    }
  }
}

extension LocationManager.Transition {
  /// The cause of a start of the GPS for which the manager doesn't call `didBeginLookBecauseOf`.
  var cause: LookCause? {
    guard to == .acquiring else { return nil }
    return switch event {
    case .significantChange: .wake(.significantChange)
    case .forceAcquire: .forced
    case .resume: .resumed
    case .authorized: .first
    case .trackingRequested: .tracking
    default: nil
    }
  }
}
