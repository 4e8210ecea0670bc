/// What LocoKit does when: the permission prompt, the wakes and the GPS as one finite state machine.
///
/// The device sleeps in ``State/waitingSignificantChange`` until it has moved to another cell, turns its GPS on in
/// ``State/acquiring`` until a fix is good enough or a short time has passed, and sleeps again. The table is drawn in
/// `StateDiagrams/`; what the receiver does in a state is the state's ``State/mode``.
///
/// It answers without doing anything, here whether a button for a pause would have an effect, and why not:
///
/// ```swift
/// let pause = LocationMachine.reaction(in: manager.state, to: .pause)
/// button.isEnabled = pause.target != nil
/// button.hint = pause.reason
/// ```
public enum LocationMachine: StateMachine {
  /// The states of a location manager.
  public enum State: String, CaseIterable, Hashable, Sendable {
    /// Nothing was asked for yet, or the permission was reset: all is off.
    case initial = "init"
    /// The permission was asked for and the answer is awaited: all is off.
    case prompted
    /// The permission is refused: all is off.
    case denied
    /// Asleep until the device has moved to another cell: the GPS is off.
    case waitingSignificantChange
    /// The GPS is on until a fix is good enough, for a bounded time, or for as long as somebody tracks.
    case acquiring
    /// The app has paused: all is off, whatever else happens, until it resumes.
    case paused
  }

  /// What can happen to a location manager.
  public enum Event: String, CaseIterable, Hashable, Sendable {
    /// The app asks for the permission, unless it was refused before.
    case tryPrompt
    /// The app asks for the permission, even where it was refused before.
    case forcePrompt
    /// The prompt stood unanswered for too long.
    case promptExpired
    /// The permission is given.
    case authorized
    /// The permission is refused, withdrawn or restricted.
    case refused
    /// The permission is undecided again.
    case authorizationReset
    /// The device has moved to another cell.
    case significantChange
    /// The last location may be farther off than the app allows, or something hints at it.
    case lookDue
    /// Somebody wants every location from now on.
    case trackingRequested
    /// A coarse fix says more of where the device is than the last location does.
    case coarseFixAccepted
    /// A fix is good enough to be delivered while tracking goes on.
    case fixAccepted
    /// A fix is good enough, or the best one is when the time is over.
    case acquired
    /// The time is over without an acceptable fix, or errors came one after the other.
    case acquisitionFailed
    /// The app wants everything off.
    case pause
    /// The app wants to go on after a pause.
    case resume
    /// The app wants a location at once.
    case forceAcquire
  }

  /// What a transition does once.
  public enum Effect: Hashable, Sendable, CustomStringConvertible {
    /// The system is asked for the permission.
    case requestAuthorization
    /// The location is kept and the listeners are given it.
    case deliverLocation
    /// The listeners are told.
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

  /// What the listeners are told.
  public enum Notice: String, CaseIterable, Hashable, Sendable {
    /// The permission was given.
    case accessGranted
    /// The permission was refused or withdrawn.
    case accessDenied
    /// The prompt stood unanswered for too long.
    case promptExpired
    /// The device has moved to another cell.
    case significantChange
    /// A look is due.
    case lookDue
    /// The app forces an acquisition.
    case forceAcquire
    /// An acquisition ended without an acceptable fix.
    case acquisitionFailed
    /// The app has paused.
    case paused
    /// The app has resumed.
    case resumed
  }

  /// Where everything begins: nothing is on until the app asks.
  public static let initialState = State.initial

  /// What `event` does in `state`.
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
    case .tryPrompt: .go(.prompted, [.requestAuthorization])
    case .forcePrompt: .go(.prompted, [.requestAuthorization])
    case .promptExpired: .ignore("No prompt is shown, so none can expire.")
    case .authorized: .ignore("A permission alone turns nothing on: the app must ask first.")
    case .refused: .ignore("The app has not asked yet, so a refusal changes nothing.")
    case .authorizationReset: .ignore("The permission is undecided already.")
    case .significantChange: .ignore("The app has not asked for locations yet, so a move wakes nothing.")
    case .lookDue: .ignore("The app has not asked for locations yet, so none is kept within a bound.")
    case .trackingRequested: .ignore("Tracking needs a permission, and the app has not asked for one.")
    case .coarseFixAccepted: .ignore("No app is kept running before it has asked, so no coarse fix is expected.")
    case .fixAccepted: .ignore("The receiver is off before the app has asked, so no fix is expected.")
    case .acquired: .ignore("Nothing is being acquired before the app has asked.")
    case .acquisitionFailed: .ignore("No acquisition is running that could fail before the app has asked.")
    case .pause: .ignore("Nothing is on yet, so there is nothing to pause.")
    case .resume: .ignore("Nothing was paused; begin by asking for the permission.")
    case .forceAcquire: .ignore("An acquisition needs a permission, and the app has not asked for one.")
    }
  }

  private static func prompted(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .tryPrompt: .ignore("The permission is being asked for already.")
    case .forcePrompt: .ignore("The prompt is on its way already; a second one would change nothing.")
    case .promptExpired: .go(.initial, [.notify(.promptExpired)])
    case .authorized: .go(.acquiring, [.notify(.accessGranted)])
    case .refused: .go(.denied, [.notify(.accessDenied)])
    case .authorizationReset: .ignore("The answer is still awaited.")
    case .significantChange: .ignore("Moves do not count until the permission is given.")
    case .lookDue: .ignore("No look is due until the permission is given.")
    case .trackingRequested: .ignore("Tracking begins when the permission is given.")
    case .coarseFixAccepted:
      .ignore("Everything is off until the prompt is answered; a coarse fix that comes late is not used.")
    case .fixAccepted: .ignore("The receiver stays off while the prompt is shown.")
    case .acquired: .ignore("Nothing is being acquired while the prompt is shown.")
    case .acquisitionFailed: .ignore("No acquisition is running that could fail while the prompt is shown.")
    case .pause: .ignore("Nothing is on while the prompt is shown; pause once the permission is given.")
    case .resume: .ignore("Nothing was paused; the answer to the prompt comes first.")
    case .forceAcquire: .ignore("The permission is not given yet; the first acquisition begins by itself when it is.")
    }
  }

  private static func denied(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .tryPrompt: .ignore("The permission was refused; only a forced prompt asks again.")
    case .forcePrompt: .go(.prompted, [.requestAuthorization])
    case .promptExpired: .ignore("The prompt was answered, so it cannot expire.")
    case .authorized: .go(.acquiring, [.notify(.accessGranted)])
    case .refused: .ignore("The permission is refused already.")
    case .authorizationReset: .go(.initial, [])
    case .significantChange: .ignore("Without a permission a move wakes nothing.")
    case .lookDue: .ignore("Without a permission no location is kept within a bound.")
    case .trackingRequested: .ignore("Tracking needs a permission, and it was refused.")
    case .coarseFixAccepted:
      .ignore("Everything is off without a permission; a coarse fix that comes late is not used.")
    case .fixAccepted: .ignore("The receiver is off without a permission, so no fix is expected.")
    case .acquired: .ignore("Nothing is being acquired without a permission.")
    case .acquisitionFailed: .ignore("No acquisition is running that could fail without a permission.")
    case .pause: .ignore("Nothing is on without a permission, so there is nothing to pause.")
    case .resume: .ignore("Nothing was paused; the permission is what is missing.")
    case .forceAcquire: .ignore("An acquisition needs a permission, and it was refused.")
    }
  }

  private static func waitingSignificantChange(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .tryPrompt: .ignore("The permission is given, so there is nothing to ask while asleep.")
    case .forcePrompt: .ignore("The permission is given, so even a forced prompt has nothing to ask while asleep.")
    case .promptExpired: .ignore("The prompt was answered long ago; the device sleeps with permission.")
    case .authorized: .ignore("The permission was given before; the sleep goes on.")
    case .refused: .go(.denied, [.notify(.accessDenied)])
    case .authorizationReset: .go(.initial, [])
    case .significantChange: .go(.acquiring, [.notify(.significantChange)])
    case .lookDue: .go(.acquiring, [.notify(.lookDue)])
    case .trackingRequested: .go(.acquiring, [])
    case .coarseFixAccepted: .stay([.deliverLocation])
    case .fixAccepted: .ignore("The GPS is off while asleep; a fix that comes late is not used.")
    case .acquired: .ignore("The acquisition is over; a location that comes late is not used.")
    case .acquisitionFailed: .ignore("The acquisition is over, so it cannot fail any more.")
    case .pause: .go(.paused, [.notify(.paused)])
    case .resume: .ignore("Nothing was paused; the device sleeps until it moves.")
    case .forceAcquire: .go(.acquiring, [.notify(.forceAcquire)])
    }
  }

  private static func acquiring(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .tryPrompt: .ignore("The permission is given, so there is nothing to ask while the GPS is on.")
    case .forcePrompt:
      .ignore("The permission is given, so a forced prompt has nothing to ask while the GPS is on.")
    case .promptExpired: .ignore("The prompt was answered before the GPS came on.")
    case .authorized: .ignore("The permission was given before; the acquisition goes on.")
    case .refused: .go(.denied, [.notify(.accessDenied)])
    case .authorizationReset: .go(.initial, [])
    case .significantChange: .ignore("The GPS is on already; a move changes nothing.")
    case .lookDue: .ignore("The GPS is on already; this is a look.")
    case .trackingRequested: .ignore("The GPS is on already; tracking joins the acquisition.")
    case .coarseFixAccepted: .ignore("The GPS is on; the acquisition judges a coarse fix as any other.")
    case .fixAccepted: .stay([.deliverLocation])
    case .acquired: .go(.waitingSignificantChange, [.deliverLocation])
    case .acquisitionFailed: .go(.waitingSignificantChange, [.notify(.acquisitionFailed)])
    case .pause: .go(.paused, [.notify(.paused)])
    case .resume: .ignore("Nothing was paused; the GPS is on.")
    case .forceAcquire: .ignore("The GPS is on already; a location is on its way.")
    }
  }

  private static func paused(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .tryPrompt: .ignore("The app has paused; it must resume before anything is asked.")
    case .forcePrompt: .ignore("The app has paused; even a forced prompt waits until it resumes.")
    case .promptExpired: .ignore("No prompt is shown during a pause.")
    case .authorized: .ignore("A pause lasts until the app resumes, whatever happens to the permission.")
    case .refused: .ignore("Everything is off during a pause; a refusal is found out on resuming.")
    case .authorizationReset: .ignore("Everything is off during a pause; a reset permission is found out on resuming.")
    case .significantChange: .ignore("The app has paused; a move wakes nothing.")
    case .lookDue: .ignore("The app has paused; no bound holds until it resumes.")
    case .trackingRequested: .ignore("The app has paused; tracking begins after it resumes.")
    case .coarseFixAccepted: .ignore("The app has paused; a coarse fix that comes late is not used.")
    case .fixAccepted: .ignore("The app has paused; a fix that comes late is not used.")
    case .acquired: .ignore("The app has paused; a location that comes late is not delivered.")
    case .acquisitionFailed: .ignore("The pause has ended the acquisition, so it cannot fail any more.")
    case .pause: .ignore("The app has paused already.")
    case .resume: .go(.acquiring, [.notify(.resumed)])
    case .forceAcquire: .ignore("The app has paused; it must resume before a location can be forced.")
    }
  }
}
