import LocoKit
import LocoMachine

@testable import TestSupport

/// The location machine's model for SPIN, with processes for its environment: a user who may send any command and track, a permission that
/// changes, a receiver that reports fixes and significant changes, and a timer that may fire late.
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

    /* The commands of the user and of the app, and tracking. */
    active proctype user() {
      do
      :: atomic { take(E_tryPrompt) }
      :: atomic { take(E_forcePrompt) }
      :: atomic { take(E_pause); isPaused = state == S_paused }
      /* Whoever pauses at the prompt may resume without the permission: the provider then reports that it's missing. */
      :: atomic { isPaused = false; take(E_resume);
           if :: permission == REFUSED -> take(E_refused) :: permission == UNDECIDED -> take(E_authorizationReset) :: else fi }
      :: atomic { take(E_forceAcquire) }
      :: atomic { isTracked = true; take(E_trackingRequested) }
      :: atomic { isTracked = false }
      od
    }

    /* The permission may change at any time, and may be reported again at any time. */
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

    /* Significant changes come at any time. Looks and fixes come in the states in which the core accepts them. */
    active proctype receiver() {
      do
      :: atomic { take(E_significantChange) }
      :: atomic { state == S_waitingSignificantChange -> take(E_lookDue) }
      :: atomic { state == S_waitingSignificantChange -> take(E_coarseFixAccepted) }
      :: atomic { state == S_acquiring -> take(E_fixAccepted) }
      :: atomic { state == S_acquiring -> take(E_acquired) }
      od
    }

    /* The deadline of a state passes at some time, unless the state is left before. While the app tracks, an
       acquisition has no deadline. */
    active proctype timer() {
      do
    \(LocationMachine.State.allCases.compactMap(timer).joined(separator: "\n"))
      od
    }

    ltl gpsInAcquiringOnly { [] (A_gps <-> (state == S_acquiring)) }
    ltl pausedIsOff { [] (isPaused -> (!A_gps && !A_significantChanges)) }
    ltl acquisitionEnds { [] (state == S_acquiring -> <> (state != S_acquiring || isTracked)) }
    ltl grantComesFirst { [] (A_gps -> wasGranted) }

    """
  }

  /// Returns the line of the process `timer` that sends the event of a state's deadline, or `nil` if the state has no deadline.
  private static func timer(_ state: LocationMachine.State) -> String? {
    guard let deadline = LocationMachine.deadline(in: state) else { return nil }
    let condition = state == .acquiring ? " && !isTracked" : ""
    return "  :: atomic { state == S_\(state)\(condition) -> take(E_\(deadline.input)) }"
  }
}
