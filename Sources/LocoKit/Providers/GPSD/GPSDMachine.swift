/// The connection to gpsd: when to connect, when to watch the receiver, and what a failure does.
///
/// `StateDiagrams/` has the table.
package enum GPSDMachine: StateMachine {
  package enum State: String, CaseIterable, Hashable, Sendable {
    case closed
    case connecting
    /// Connected; gpsd hasn't yet sent its version and its list of receivers.
    case greeting
    /// Connected; the receiver isn't wanted.
    case idle
    /// gpsd has the receiver on, and sends its reports.
    case watching
    /// The receiver is wanted, and gpsd has none.
    case withoutReceiver
    /// The connection failed, and is retried after a delay.
    case backingOff

    /// Whether gpsd is asked to watch the receiver.
    package var isWatching: Bool { self == .watching || self == .withoutReceiver }
  }

  package enum Event: String, CaseIterable, Hashable, Sendable {
    /// Fixes are wanted: by the manager, or for a movement check.
    case receiverWanted
    case receiverUnwanted
    /// The provider is turned off: the watch ends first, and then the connection.
    case released
    case connected
    /// gpsd sent its version, for the first time on this connection.
    case identified
    /// gpsd listed its receivers, after its version.
    case greeted
    /// The connection was refused or lost, or gpsd is silent or isn't gpsd.
    case failed
    /// The back-off is over and the receiver is wanted, or an acquisition begins, which doesn't wait for a back-off.
    case retryDue
    /// gpsd has a receiver, or the receiver reports.
    case receiverFound
    /// gpsd has no receiver, or the receiver's file is gone.
    case receiverMissing
    /// The receivers were added to gpsd through its control socket.
    case receiversReopened
  }

  package enum Effect: String, Hashable, Sendable, CustomStringConvertible {
    case connect
    case disconnect
    /// Asks gpsd for its receivers.
    case listReceivers
    /// Asks gpsd to watch the receiver, which turns it on.
    case watch
    case unwatch

    package var description: String { rawValue }
  }

  package static let initialState = State.closed

  package static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch state {
    case .closed: closed(event)
    case .connecting: connecting(event)
    case .greeting: greeting(event)
    case .idle: idle(event)
    case .watching: watching(event)
    case .withoutReceiver: withoutReceiver(event)
    case .backingOff: backingOff(event)
    }
  }

  private static func closed(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .receiverWanted: .go(.connecting, [.connect])
    case .receiverUnwanted: .ignore("The receiver is off already.")
    case .released, .failed: .ignore("There is no connection.")
    case .connected: .ignore("The connection was canceled.")
    case .identified, .greeted, .receiverFound, .receiverMissing: .ignore("The report is from an earlier connection.")
    case .retryDue: .ignore("No back-off runs; receiverWanted starts the connection.")
    case .receiversReopened: .ignore("The receiver is no longer wanted.")
    }
  }

  private static func connecting(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .receiverWanted, .retryDue: .ignore("The connection is being made.")
    case .receiverUnwanted: .ignore("The connection is made anyway, and becomes idle.")
    case .released: .go(.closed, [.disconnect])
    case .connected: .go(.greeting, [])
    case .identified, .greeted, .receiverFound, .receiverMissing: .ignore("gpsd sends nothing before it is connected.")
    case .failed: .go(.backingOff, [.disconnect])
    case .receiversReopened: .ignore("gpsd can't be asked before it is connected.")
    }
  }

  private static func greeting(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .receiverWanted, .retryDue, .receiversReopened: .ignore("The watch begins after the greeting.")
    case .receiverUnwanted: .ignore("The connection stays open, and becomes idle.")
    case .released: .go(.closed, [.disconnect])
    case .connected: .ignore("The connection is made already.")
    case .identified: .stay([.listReceivers])
    case .greeted: .go(.idle, [])
    case .failed: .go(.backingOff, [.disconnect])
    case .receiverFound, .receiverMissing: .ignore("The receiver isn't watched yet.")
    }
  }

  private static func idle(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .receiverWanted: .go(.watching, [.watch])
    case .receiverUnwanted: .ignore("The receiver isn't watched.")
    case .released: .go(.closed, [.disconnect])
    case .connected: .ignore("The connection is made already.")
    case .identified, .greeted: .ignore("The greeting is over.")
    case .failed: .go(.backingOff, [.disconnect])
    case .retryDue: .ignore("No back-off runs; receiverWanted starts the watch.")
    case .receiverFound: .ignore("The receiver isn't watched; another program may watch it.")
    case .receiverMissing: .ignore("The receiver isn't watched, so it isn't missed.")
    case .receiversReopened: .ignore("The receiver is no longer wanted.")
    }
  }

  private static func watching(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .receiverWanted, .retryDue: .ignore("The receiver is watched already.")
    case .receiverUnwanted, .released: .go(.idle, [.unwatch])
    case .connected: .ignore("The connection is made already.")
    case .identified, .greeted: .ignore("The greeting is over.")
    case .failed: .go(.backingOff, [.disconnect])
    case .receiverFound: .ignore("gpsd has the receiver already.")
    case .receiverMissing: .go(.withoutReceiver, [])
    // A watch request makes gpsd open an added receiver; without one, that may take seconds.
    case .receiversReopened: .stay([.watch])
    }
  }

  private static func withoutReceiver(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .receiverWanted, .retryDue: .ignore("gpsd is asked for the receiver already.")
    case .receiverUnwanted, .released: .go(.idle, [.unwatch])
    case .connected: .ignore("The connection is made already.")
    case .identified, .greeted: .ignore("The greeting is over.")
    case .failed: .go(.backingOff, [.disconnect])
    case .receiverFound: .go(.watching, [])
    case .receiverMissing: .ignore("The receiver is missing already.")
    case .receiversReopened: .stay([.watch])
    }
  }

  private static func backingOff(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .receiverWanted: .ignore("The next attempt begins when the back-off is over.")
    case .receiverUnwanted: .ignore("The receiver is off already.")
    case .released: .go(.closed, [])
    case .connected: .ignore("The connection was canceled.")
    case .identified, .greeted, .receiverFound, .receiverMissing: .ignore("The report is from an earlier connection.")
    case .failed: .ignore("The failure is handled already.")
    case .retryDue: .go(.connecting, [.connect])
    case .receiversReopened: .ignore("There is no connection.")
    }
  }

  /// Limits the connection attempt to 30 s, and the greeting to 5 s. A name lookup may take seconds, and each address some more.
  ///
  /// The back-off is half a second after the first failure, which the diagram shows; ``GPSDBackOff`` has the others.
  package static func deadline(in state: State) -> Deadline<Event>? {
    switch state {
    case .connecting: .after(.seconds(30), .failed)
    case .greeting: .after(.seconds(5), .failed)
    case .backingOff: .after(.milliseconds(500), .retryDue, setting: "backOff")
    case .closed, .idle, .watching, .withoutReceiver: nil
    }
  }
}
