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

  var name: String { texts.name }
  /// The cause in a few words.
  var words: String { texts.words }
  /// The cause as a sentence; `nil` for that of the error bound, which depends on the bound.
  var sentence: String? { texts.sentence }

  private var texts: (name: String, words: String, sentence: String?) {
    switch self {
    case .bound: ("bound", "error bound", nil)
    case .retry: ("retry", "retry", "The look before found nothing, so the manager looks again.")
    case .rest: ("rest", "rest", "The device came to rest: a last look finds where it stays.")
    case .wake(let kind): (kind.rawValue, kind.facts.cause, kind.facts.sentence)
    case .forced: ("forced", "requested by the app", "The app asked for a location.")
    case .resumed: ("resumed", "resumed after a pause", "The app ended its pause.")
    case .first: ("first", "first location", "The permission is granted: the first location.")
    case .tracking: ("tracking", "tracking", "The app tracks the device.")
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
