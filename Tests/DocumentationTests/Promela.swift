import LocoKit
import LocoMachine

@testable import TestSupport

/// The location machine in Promela for the model checker SPIN, with a user who may send any command, tracking, a permission that
/// changes, fixes and significant changes at any time, and a timer that may fire late.
enum Promela {
  static var text: String {
    let states = LocationState.allCases
    let events = LocationMachine.Event.allCases
    let rows = TransitionTable<LocationMachine>().rows.map { row in
      let pair = "state == S_\(row.state) && event == E_\(row.event)"
      return "  :: \(pair) -> " + (row.target.map { "next = S_\($0)" } ?? "skip /* \(row.reason ?? "internal") */")
    }
    return """
      /* Generated from LocationMachine. */
      \(states.enumerated().map { "#define S_\($1) \($0)" }.joined(separator: "\n"))
      \(events.enumerated().map { "#define E_\($1) \($0)" }.joined(separator: "\n"))
      \(ReceiverMode.allCases.enumerated().map { "#define M_\($1) \($0)" }.joined(separator: "\n"))
      #define UNDECIDED 0
      #define GRANTED 1
      #define REFUSED 2

      byte state = S_\(LocationMachine.initialState);
      byte mode = M_off;
      byte permission = UNDECIDED;
      bool wasGranted = false;
      bool isPaused = false;
      bool isTracked = false;

      inline modeOf(s, m) {
        if
      \(states.map { "  :: s == S_\($0) -> m = M_\($0.mode)" }.joined(separator: "\n"))
        fi
      }

      /* One turn: the machine's answer, then the difference between the old state's mode and the new one's. */
      inline take(event) {
        next = state;
        if
      \(rows.joined(separator: "\n"))
        fi;
        modeOf(state, before);
        modeOf(next, after);
        if
        :: before != after -> mode = after
        :: else
        fi;
        if
        :: event == E_pause && next == S_paused -> isPaused = true
        :: event == E_resume -> isPaused = false
        :: else
        fi;
        state = next
      }

      /* The user of the app, and the app. */
      active proctype user() {
        byte next, before, after;
        do
        :: atomic { take(E_tryPrompt) }
        :: atomic { take(E_forcePrompt) }
        :: atomic { take(E_pause) }
        :: atomic { take(E_resume) }
        :: atomic { take(E_forceAcquire) }
        :: atomic { isTracked = true; take(E_trackingRequested) }
        :: atomic { isTracked = false }
        od
      }

      /* The permission, changed at any time; what it is may be reported again at any time. */
      active proctype system() {
        byte next, before, after;
        do
        :: atomic { permission = GRANTED; wasGranted = true; take(E_authorized) }
        :: atomic { permission = REFUSED; take(E_refused) }
        :: atomic { permission = UNDECIDED; take(E_authorizationReset) }
        :: atomic { permission == GRANTED -> take(E_authorized) }
        :: atomic { permission == REFUSED -> take(E_refused) }
        :: atomic { permission == UNDECIDED -> take(E_authorizationReset) }
        od
      }

      /* Cells and fixes, wanted or not, in time or late. */
      active proctype receiver() {
        byte next, before, after;
        do
        :: atomic { take(E_significantChange) }
        :: atomic { take(E_coarseFixAccepted) }
        :: atomic { take(E_fixAccepted) }
        :: atomic { take(E_acquired) }
        od
      }

      /* Time passes: what runs out while a state lasts runs out at last, if nothing else comes before. An acquisition has no limit
         while somebody tracks. */
      active proctype timer() {
        byte next, before, after;
        do
      \(states.compactMap(timer).joined(separator: "\n"))
        od
      }

      ltl gpsInAcquiringOnly { [] ((mode == M_gps) <-> (state == S_acquiring)) }
      ltl pausedIsOff { [] (isPaused -> mode == M_off) }
      ltl acquisitionEnds { [] (state == S_acquiring -> <> (state != S_acquiring || isTracked)) }
      ltl grantComesFirst { [] (mode == M_gps -> wasGranted) }

      """
  }

  /// The event at the deadline of a state.
  private static func timer(_ state: LocationState) -> String? {
    guard let deadline = LocationMachine.deadline(in: state) else { return nil }
    let condition = state == .acquiring ? " && !isTracked" : ""
    return "  :: atomic { state == S_\(state)\(condition) -> take(E_\(deadline.input)) }"
  }
}
