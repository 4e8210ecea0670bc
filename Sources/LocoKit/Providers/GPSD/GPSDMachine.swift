/// The connection to gpsd: when it is made, when the receiver is watched, and what a failure does.
///
/// The table is drawn in `StateDiagrams/`.
package enum GPSDMachine: StateMachine {
  /// A state of the connection.
  package enum State: String, CaseIterable, Hashable, Sendable {
    /// There is no connection, and none is wanted.
    case closed
    /// gpsd is being connected to.
    case connecting
    /// gpsd is connected, and has not said yet what it is and which receivers it has.
    case greeting
    /// gpsd is connected, and the receiver is not wanted.
    case idle
    /// gpsd has the receiver on, and says what it says.
    case watching
    /// The receiver is wanted, and gpsd has none.
    case withoutReceiver
    /// The connection failed, and is made again after a while.
    case backingOff
  }

  /// An event of the connection.
  package enum Event: String, CaseIterable, Hashable, Sendable {
    /// Fixes are wanted: by the manager, or to look whether the device has moved.
    case receiverWanted
    /// Fixes are wanted no more.
    case receiverUnwanted
    /// The provider is released: the watch ends first, and then the connection.
    case released
    /// The connection was made.
    case connected
    /// gpsd has said its version, for the first time on this connection.
    case identified
    /// gpsd has listed its receivers, after its version.
    case greeted
    /// The connection was refused or lost, or gpsd is silent or not gpsd.
    case failed
    /// The next attempt is due: the back-off is over and the receiver is wanted, or an acquisition begins, which waits for no
    /// back-off.
    case retryDue
    /// gpsd has a receiver, or the receiver says something.
    case receiverFound
    /// gpsd has no receiver, or the receiver's file is gone.
    case receiverMissing
    /// The receivers were given back to gpsd through its control socket.
    case receiversReopened
  }

  /// What a transition does once.
  package enum Effect: String, Hashable, Sendable, CustomStringConvertible {
    /// A connection is begun.
    case connect
    /// The connection is closed.
    case disconnect
    /// gpsd is asked which receivers it has.
    case listReceivers
    /// gpsd is asked to watch the receiver, which turns it on.
    case watch
    /// gpsd is asked to watch it no more.
    case unwatch

    /// The effect's name in tables and diagrams.
    package var description: String { rawValue }
  }

  /// Where everything begins.
  package static let initialState = State.closed

  /// What `event` does in `state`.
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
    case .receiverUnwanted: .ignore("Nothing is wanted already.")
    case .released: .ignore("There is no connection to close.")
    case .connected: .ignore("A connection that is no longer wanted was closed before.")
    case .identified: .ignore("What an earlier connection said is of no use.")
    case .greeted: .ignore("What an earlier connection said is of no use.")
    case .failed: .ignore("There is no connection that could fail.")
    case .retryDue: .ignore("No back-off runs; the connection begins because the receiver is wanted.")
    case .receiverFound: .ignore("What an earlier connection said is of no use.")
    case .receiverMissing: .ignore("What an earlier connection said is of no use.")
    case .receiversReopened: .ignore("The receiver is wanted no more.")
    }
  }

  private static func connecting(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .receiverWanted: .ignore("The connection is on its way.")
    case .receiverUnwanted: .ignore("The connection is made all the same, and idle then.")
    case .released: .go(.closed, [.disconnect])
    case .connected: .go(.greeting, [])
    case .identified: .ignore("gpsd can say nothing before the connection is made.")
    case .greeted: .ignore("gpsd can say nothing before the connection is made.")
    case .failed: .go(.backingOff, [.disconnect])
    case .retryDue: .ignore("The connection is on its way.")
    case .receiverFound: .ignore("gpsd can say nothing before the connection is made.")
    case .receiverMissing: .ignore("gpsd can say nothing before the connection is made.")
    case .receiversReopened: .ignore("gpsd can be asked nothing before the connection is made.")
    }
  }

  private static func greeting(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .receiverWanted: .ignore("The receiver is watched once gpsd has said what it is.")
    case .receiverUnwanted: .ignore("The connection is kept, and idle once gpsd has said what it is.")
    case .released: .go(.closed, [.disconnect])
    case .connected: .ignore("The connection was made before.")
    case .identified: .stay([.listReceivers])
    case .greeted: .go(.idle, [])
    case .failed: .go(.backingOff, [.disconnect])
    case .retryDue: .ignore("The receiver is watched once gpsd has said what it is.")
    case .receiverFound: .ignore("The receiver is not watched yet.")
    case .receiverMissing: .ignore("The receiver is not watched yet.")
    case .receiversReopened: .ignore("The receiver is watched once gpsd has said what it is.")
    }
  }

  private static func idle(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .receiverWanted: .go(.watching, [.watch])
    case .receiverUnwanted: .ignore("The receiver is not watched.")
    case .released: .go(.closed, [.disconnect])
    case .connected: .ignore("The connection was made before.")
    case .identified: .ignore("gpsd has said what it is.")
    case .greeted: .ignore("gpsd has said what it is.")
    case .failed: .go(.backingOff, [.disconnect])
    case .retryDue: .ignore("The receiver is watched because it is wanted.")
    case .receiverFound: .ignore("The receiver is not watched; another program may watch it.")
    case .receiverMissing: .ignore("The receiver is not watched, so that it is not missed.")
    case .receiversReopened: .ignore("The receiver is wanted no more.")
    }
  }

  private static func watching(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .receiverWanted: .ignore("The receiver is watched already.")
    case .receiverUnwanted: .go(.idle, [.unwatch])
    case .released: .go(.idle, [.unwatch])
    case .connected: .ignore("The connection was made before.")
    case .identified: .ignore("gpsd has said what it is.")
    case .greeted: .ignore("gpsd has said what it is.")
    case .failed: .go(.backingOff, [.disconnect])
    case .retryDue: .ignore("The receiver is watched already.")
    case .receiverFound: .ignore("The receiver is there already.")
    case .receiverMissing: .go(.withoutReceiver, [])
    // gpsd opens a receiver that it was given when it is asked to watch, and otherwise perhaps not for some seconds.
    case .receiversReopened: .stay([.watch])
    }
  }

  private static func withoutReceiver(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .receiverWanted: .ignore("The receiver is wanted already, and is asked for.")
    case .receiverUnwanted: .go(.idle, [.unwatch])
    case .released: .go(.idle, [.unwatch])
    case .connected: .ignore("The connection was made before.")
    case .identified: .ignore("gpsd has said what it is.")
    case .greeted: .ignore("gpsd has said what it is.")
    case .failed: .go(.backingOff, [.disconnect])
    case .retryDue: .ignore("The receiver is asked for already.")
    case .receiverFound: .go(.watching, [])
    case .receiverMissing: .ignore("The receiver is missing already.")
    case .receiversReopened: .stay([.watch])
    }
  }

  private static func backingOff(_ event: Event) -> Reaction<State, Effect> {
    switch event {
    case .receiverWanted: .ignore("The connection failed a moment ago; it is tried again when the back-off is over.")
    case .receiverUnwanted: .ignore("Nothing is on that could be turned off.")
    case .released: .go(.closed, [])
    case .connected: .ignore("A connection that was given up is of no use.")
    case .identified: .ignore("What an earlier connection said is of no use.")
    case .greeted: .ignore("What an earlier connection said is of no use.")
    case .failed: .ignore("The connection has failed already.")
    case .retryDue: .go(.connecting, [.connect])
    case .receiverFound: .ignore("What an earlier connection said is of no use.")
    case .receiverMissing: .ignore("What an earlier connection said is of no use.")
    case .receiversReopened: .ignore("There is no connection on which gpsd could be asked.")
    }
  }
}

extension GPSDMachine {
  /// Limits how long a connection attempt, the greeting and the back-off last.
  ///
  /// A look-up of a name may take some seconds, and each address some more, so an attempt has half a minute; gpsd, once
  /// connected, has five seconds to say what it is and which receivers it has.
  ///
  /// The back-off of a ``GPSDProvider`` is half a second after the first failure, which is drawn. Each further failure doubles
  /// it, up to half a minute, and chance adds up to half of it, so that clients that lost the same gpsd do not all return at once.
  /// It is half a second again after a connection that gave a fix or stood for ten seconds, and when a new acquisition begins.
  package static func deadline(in state: State) -> Deadline<Event>? {
    switch state {
    case .connecting: .after(.seconds(30), .failed)
    case .greeting: .after(.seconds(5), .failed)
    case .backingOff: .after(.milliseconds(500), .retryDue, setting: "backOff")
    case .closed, .idle, .watching, .withoutReceiver: nil
    }
  }
}

extension GPSDMachine.State {
  /// Whether gpsd is asked to watch the receiver.
  package var isWatching: Bool {
    switch self {
    case .watching, .withoutReceiver: true
    case .closed, .connecting, .greeting, .idle, .backingOff: false
    }
  }
}
