/// The state machine of a location manager: the permission prompt, the wake-ups and the GPS.
///
/// In ``State/waitingSignificantChange`` the manager sleeps until the device moves to another cell. In ``State/acquiring`` the GPS is on
/// until a fix is good enough or the time limit ends. The receiver's mode is the activity of a state. `StateDiagrams/` contains a diagram
/// of the table.
///
/// Querying the machine changes nothing. This example shows whether a pause would have an effect, or why it would have none:
///
/// ```swift
/// let pause = LocationMachine.reaction(in: manager.state, to: .pause)
/// button.isEnabled = pause.target != nil
/// button.hint = pause.reason
/// ```
public enum LocationMachine: StateMachine {
  /// The states of a location manager.
  ///
  /// ```swift
  /// var hint: String {
  ///   switch manager.state {
  ///   case .initial: "Press the button to be found."
  ///   case .prompted: "Allow locations to be found."
  ///   case .denied: "Locations are refused: open the settings."
  ///   case .waitingSignificantChange: "Asleep until you have moved."
  ///   case .acquiring: "Looking for you…"
  ///   case .paused: "Paused."
  ///   }
  /// }
  /// ```
  public enum State: String, CaseIterable, Hashable, Sendable {
    /// Everything is off: the app hasn't asked for the permission, the prompt expired, or the permission was reset.
    case initial = "init"
    /// The app has asked for the permission and the user hasn't answered. Everything is off.
    case prompted
    /// The permission is refused. Everything is off.
    case denied
    /// The GPS is off until the device moves to another cell, a look is due, or a location is requested.
    case waitingSignificantChange
    /// The GPS is on until a fix is good enough or a time limit ends, and as long as a consumer tracks.
    case acquiring
    /// The app has paused. Everything is off until it resumes.
    case paused

    /// The receiver's mode in the state.
    package var mode: ReceiverMode {
      switch self {
      case .initial, .prompted, .denied, .paused: .off
      case .waitingSignificantChange: .significantChanges
      case .acquiring: .gps
      }
    }
  }

  /// The events of a location manager.
  public enum Event: String, CaseIterable, Hashable, Sendable {
    /// The app asks for the permission, unless it was refused before.
    case tryPrompt
    /// The app asks for the permission, even if it was refused before.
    case forcePrompt
    /// The user hasn't answered the prompt in time.
    case promptExpired
    /// The permission is granted.
    case authorized
    /// The permission is refused, withdrawn or restricted.
    case refused
    /// The permission is undecided again.
    case authorizationReset
    /// The device has moved to another cell.
    case significantChange
    /// A look is due under an error bound.
    case lookDue
    /// A consumer starts tracking.
    case trackingRequested
    /// A location that was found while the GPS is off is accepted: a coarse fix, or the location of a significant change.
    case coarseFixAccepted
    /// A fix is delivered while the acquisition continues.
    case fixAccepted
    /// A fix is good enough, or acceptable at the end of the time limit.
    case acquired
    /// The time limit ended without an acceptable fix, several errors occurred in a row, or the last consumer cancelled its request.
    case acquisitionFailed
    /// The app turns everything off.
    case pause
    /// The app ends a pause.
    case resume
    /// The app wants a location immediately, or the user may have restored the full accuracy.
    case forceAcquire
  }

  /// The effects of a transition.
  public enum Effect: Hashable, Sendable, CustomStringConvertible {
    /// The manager asks the system for the permission.
    case requestAuthorization
    /// The manager persists the location and notifies the listeners.
    case deliverLocation
    /// The manager notifies the listeners.
    case notify(Notice)

    /// The effect's name in tables and diagrams, such as `notify(paused)`.
    public var description: String {
      switch self {
      case .requestAuthorization: "requestAuthorization"
      case .deliverLocation: "deliverLocation"
      case .notify(let notice): "notify(" + notice.rawValue + ")"
      }
    }
  }

  /// The notifications of the listeners.
  public enum Notice: String, CaseIterable, Hashable, Sendable {
    /// The permission was granted.
    case accessGranted
    /// The permission was refused or withdrawn.
    case accessDenied
    /// The user hasn't answered the prompt in time.
    case promptExpired
    /// The device has moved to another cell.
    case significantChange
    /// A look is due.
    case lookDue
    /// The app forces an acquisition or requests one location, or the user may have restored the full accuracy.
    case forceAcquire
    /// An acquisition ended without an acceptable fix.
    case acquisitionFailed
    /// The app has paused.
    case paused
    /// The app has resumed.
    case resumed
  }

  /// The state of a new manager, unless its store contains a pause.
  public static let initialState = State.initial

  /// Returns what `event` does in `state`.
  public static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch state {
    case .initial: initial(event)
    case .prompted: prompted(event)
    case .denied: denied(event)
    case .waitingSignificantChange: waitingSignificantChange(event)
    case .acquiring: acquiring(event)
    case .paused: paused(event)
    }
  }

  private static func initial(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .tryPrompt, .forcePrompt: .go(.prompted, [.requestAuthorization])
    case .promptExpired: .never("No prompt is shown, so none can expire.")
    case .authorized: .ignore("A permission alone starts nothing: the app must ask first.")
    case .refused: .ignore("The app has not asked yet, so a refusal changes nothing.")
    case .authorizationReset: .ignore("The permission is already undecided.")
    case .significantChange: .ignore("The app has not asked for the permission, so a significant change has no effect.")
    case .lookDue: .never("The app has not asked for the permission, so no look is due.")
    case .trackingRequested: .ignore("Tracking needs a permission, and the app has not asked for one.")
    case .coarseFixAccepted: .never("The app has not asked for the permission, so a coarse fix is not used.")
    case .fixAccepted: .never("The GPS is off until the app asks for the permission, so a fix is not used.")
    case .acquired: .never("No acquisition is running before the app has asked.")
    case .acquisitionFailed: .never("No acquisition is running before the app has asked, so none can fail.")
    case .pause: .ignore("Nothing is on yet, so there is nothing to pause.")
    case .resume: .ignore("Nothing was paused; begin by asking for the permission.")
    case .forceAcquire: .ignore("An acquisition needs a permission, and the app has not asked for one.")
    }
  }

  private static func prompted(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .tryPrompt: .ignore("The app has already asked for the permission.")
    case .forcePrompt: .ignore("The app has already asked; a second prompt would change nothing.")
    case .promptExpired: .go(.initial, [.notify(.promptExpired)])
    case .authorized: .go(.acquiring, [.notify(.accessGranted)])
    case .refused: .go(.denied, [.notify(.accessDenied)])
    case .authorizationReset: .ignore("The user has not answered yet.")
    case .significantChange: .ignore("A significant change has no effect until the permission is granted.")
    case .lookDue: .never("No look is due until the permission is granted.")
    case .trackingRequested: .ignore("Tracking begins when the permission is granted.")
    case .coarseFixAccepted: .never("Everything is off until the user answers; a late coarse fix is not used.")
    case .fixAccepted: .never("The GPS stays off while the prompt is shown.")
    case .acquired: .never("No acquisition is running while the prompt is shown.")
    case .acquisitionFailed: .never("No acquisition is running while the prompt is shown, so none can fail.")
    case .pause: .go(.paused, [.notify(.paused)])
    case .resume: .ignore("Nothing was paused; the user must answer the prompt first.")
    case .forceAcquire: .ignore("The first acquisition begins automatically when the permission is granted.")
    }
  }

  private static func denied(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .tryPrompt: .ignore("The permission was refused; only a forced prompt asks again.")
    case .forcePrompt: .go(.prompted, [.requestAuthorization])
    case .promptExpired: .never("The user has answered the prompt, so it cannot expire.")
    case .authorized: .go(.acquiring, [.notify(.accessGranted)])
    case .refused: .ignore("The permission is already refused.")
    case .authorizationReset: .go(.initial, [])
    case .significantChange: .ignore("A significant change has no effect without a permission.")
    case .lookDue: .never("No look is due without a permission.")
    case .trackingRequested: .ignore("Tracking needs a permission, and it was refused.")
    case .coarseFixAccepted: .never("Everything is off without a permission; a late coarse fix is not used.")
    case .fixAccepted: .never("The GPS is off without a permission; a late fix is not used.")
    case .acquired: .never("No acquisition is running without a permission.")
    case .acquisitionFailed: .never("No acquisition is running without a permission, so none can fail.")
    case .pause: .ignore("Nothing is on without a permission, so there is nothing to pause.")
    case .resume: .ignore("Nothing was paused; the permission is missing.")
    case .forceAcquire: .ignore("An acquisition needs a permission, and it was refused.")
    }
  }

  private static func waitingSignificantChange(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .tryPrompt: .ignore("The permission is already granted; the manager waits for a significant change.")
    case .forcePrompt:
      .ignore("The permission is already granted, so a forced prompt has no effect between acquisitions.")
    case .promptExpired: .never("The user answered the prompt before the first acquisition.")
    case .authorized: .ignore("The permission is already granted; the manager continues to wait.")
    case .refused: .go(.denied, [.notify(.accessDenied)])
    case .authorizationReset: .go(.initial, [])
    case .significantChange: .go(.acquiring, [.notify(.significantChange)])
    case .lookDue: .go(.acquiring, [.notify(.lookDue)])
    case .trackingRequested: .go(.acquiring, [])
    case .coarseFixAccepted: .stay([.deliverLocation])
    case .fixAccepted: .never("The GPS is off between acquisitions; a late fix is not used.")
    case .acquired: .never("The acquisition has ended; a late location is not used.")
    case .acquisitionFailed: .never("The acquisition has ended, so it can no longer fail.")
    case .pause: .go(.paused, [.notify(.paused)])
    case .resume: .ignore("Nothing was paused; the manager sleeps until the device moves.")
    case .forceAcquire: .go(.acquiring, [.notify(.forceAcquire)])
    }
  }

  private static func acquiring(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .tryPrompt: .ignore("The permission is already granted, and the GPS is on.")
    case .forcePrompt:
      .ignore("The permission is already granted, so a forced prompt has no effect while the GPS is on.")
    case .promptExpired: .never("The user answered the prompt before the GPS was turned on.")
    case .authorized: .ignore("The permission is already granted; the acquisition continues.")
    case .refused: .go(.denied, [.notify(.accessDenied)])
    case .authorizationReset: .go(.initial, [])
    case .significantChange: .ignore("The GPS is already on, so a significant change has no effect.")
    case .lookDue: .never("The GPS is already on, so no look is needed.")
    case .trackingRequested: .ignore("The GPS is already on; tracking joins the acquisition.")
    case .coarseFixAccepted: .never("While the GPS is on, the acquisition judges coarse fixes like all others.")
    case .fixAccepted: .stay([.deliverLocation])
    case .acquired: .go(.waitingSignificantChange, [.deliverLocation])
    case .acquisitionFailed: .go(.waitingSignificantChange, [.notify(.acquisitionFailed)])
    case .pause: .go(.paused, [.notify(.paused)])
    case .resume: .ignore("Nothing was paused; the GPS is on.")
    case .forceAcquire: .ignore("An acquisition is already running.")
    }
  }

  private static func paused(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .tryPrompt: .ignore("The app has paused; it must resume before it can ask for the permission.")
    case .forcePrompt: .ignore("The app has paused; it must resume even before a forced prompt.")
    case .promptExpired: .never("A pause ends the wait for the prompt's answer, so the prompt cannot expire.")
    case .authorized: .ignore("A pause lasts until the app resumes, even if the permission is granted.")
    case .refused: .ignore("Everything is off during a pause; a refusal takes effect when the app resumes.")
    case .authorizationReset: .ignore("Everything is off during a pause; a reset takes effect when the app resumes.")
    case .significantChange: .ignore("The app has paused; a significant change has no effect.")
    case .lookDue: .never("The app has paused; no look is due until it resumes.")
    case .trackingRequested: .ignore("The app has paused; tracking begins when it resumes.")
    case .coarseFixAccepted: .never("The app has paused; a late coarse fix is not used.")
    case .fixAccepted: .never("The app has paused; a late fix is not used.")
    case .acquired: .never("The app has paused; a late location is not delivered.")
    case .acquisitionFailed: .never("The pause has ended the acquisition, so it can no longer fail.")
    case .pause: .ignore("The app has already paused.")
    case .resume: .go(.acquiring, [.notify(.resumed)])
    case .forceAcquire: .ignore("The app has paused; it must resume before an acquisition can begin.")
    }
  }

  /// Returns the receiver's mode; empty while everything is off.
  public static func activities(in state: State) -> [ReceiverMode] { state.mode == .off ? [] : [state.mode] }

  static let promptTimeLimit = Duration.seconds(60)
  /// The time limit of an acquisition by ``AcquisitionPolicy/loco``: Loco's.
  static let acquisitionTimeLimit = Duration.seconds(15)

  /// Returns the time limit of a prompt or an acquisition.
  ///
  /// The diagrams show the default of ``LocationManager/promptTimeLimit``, and the time limit of ``AcquisitionPolicy/loco``. If the
  /// manager has an acceptable fix at the end of an acquisition, it raises ``Event/acquired`` instead of the deadline's event. While a
  /// consumer tracks, the acquisition continues.
  public static func deadline(in state: State) -> Deadline<Self>? {
    switch state {
    case .prompted: .after(promptTimeLimit, .promptExpired, setting: "promptTimeLimit")
    case .acquiring: .after(acquisitionTimeLimit, .acquisitionFailed, setting: "policy.timeLimit")
    case .initial, .denied, .waitingSignificantChange, .paused: nil
    }
  }
}
