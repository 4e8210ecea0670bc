import LocoKit
import LocoMachine

@testable import TestSupport

/// The location machine's model for SPIN, with processes of its own: a user who may send any command, tracking, a permission that changes,
/// fixes and significant changes at any time, and a timer that may fire late.
enum Promela {
  static var text: String {
    """
    #define NO_ENVIRONMENT
    #include "location.pml"
    #define UNDECIDED 0
    #define GRANTED 1
    #define REFUSED 2

    byte permission = UNDECIDED;
    bool wasGranted = false;
    bool isPaused = false;
    bool isTracked = false;

    /* The user of the app, and the app. */
    active proctype user() {
      do
      :: atomic { take(E_tryPrompt) }
      :: atomic { take(E_forcePrompt) }
      :: atomic { take(E_pause); isPaused = state == S_paused }
      :: atomic { isPaused = false; take(E_resume) }
      :: atomic { take(E_forceAcquire) }
      :: atomic { isTracked = true; take(E_trackingRequested) }
      :: atomic { isTracked = false }
      od
    }

    /* The permission, changed at any time; what it is may be reported again at any time. */
    active proctype system() {
      do
      :: atomic { permission = GRANTED; wasGranted = true; take(E_authorized) }
      :: atomic { permission = REFUSED; take(E_refused) }
      :: atomic { permission = UNDECIDED; take(E_authorizationReset) }
      :: atomic { permission == GRANTED -> take(E_authorized) }
      :: atomic { permission == REFUSED -> take(E_refused) }
      :: atomic { permission == UNDECIDED -> take(E_authorizationReset) }
      od
    }

    /* Cells at any time; looks and fixes in the states whose core judges them. */
    active proctype receiver() {
      do
      :: atomic { take(E_significantChange) }
      :: atomic { state == S_waitingSignificantChange -> take(E_lookDue) }
      :: atomic { state == S_waitingSignificantChange -> take(E_coarseFixAccepted) }
      :: atomic { state == S_acquiring -> take(E_fixAccepted) }
      :: atomic { state == S_acquiring -> take(E_acquired) }
      od
    }

    /* Time passes: what runs out while a state lasts runs out at last, if nothing else comes before. An acquisition has no limit
       while somebody tracks. */
    active proctype timer() {
      do
    \(LocationState.allCases.compactMap(timer).joined(separator: "\n"))
      od
    }

    ltl gpsInAcquiringOnly { [] (A_gps <-> (state == S_acquiring)) }
    ltl pausedIsOff { [] (isPaused -> (!A_gps && !A_significantChanges)) }
    ltl acquisitionEnds { [] (state == S_acquiring -> <> (state != S_acquiring || isTracked)) }
    ltl grantComesFirst { [] (A_gps -> wasGranted) }

    """
  }

  /// The event at the deadline of a state.
  private static func timer(_ state: LocationState) -> String? {
    guard let deadline = LocationMachine.deadline(in: state) else { return nil }
    let condition = state == .acquiring ? " && !isTracked" : ""
    return "  :: atomic { state == S_\(state)\(condition) -> take(E_\(deadline.input)) }"
  }
}
