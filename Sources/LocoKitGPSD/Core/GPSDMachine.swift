package import LocoMachine

/// A machine that decides when to connect to gpsd, when to watch the receiver, and how to handle a failure.
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
    /// The receiver is wanted, and gpsd was asked to watch it.
    case watching
    /// The receiver is wanted, but gpsd has none, or the receiver's file is gone.
    case withoutReceiver
    /// The connection failed, and is retried after a delay if the receiver is wanted.
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
    /// gpsd sent its version. During the greeting, only the first version raises the event.
    case identified
    /// gpsd listed its receivers, after its version.
    case greeted
    /// The connection couldn't be made or was lost, gpsd is silent, or the server doesn't speak version 3 of gpsd's protocol.
    case failed
    /// The back-off is over and the receiver is wanted, or an acquisition begins, which doesn't wait for a back-off.
    case retryDue
    /// gpsd has a receiver, or reports its fix.
    case receiverFound
    /// gpsd has no receiver, or the receiver's file is gone.
    case receiverMissing
    /// The provider has tried to add the receivers through gpsd's control socket.
    case receiversReopened
  }

  package enum Effect: String, Hashable, Sendable {
    case connect
    case disconnect
    /// Asks gpsd for its receivers.
    case listReceivers
    /// Asks gpsd to watch the receiver, which turns it on.
    case watch
    case unwatch
  }

  package static let initialState = State.closed

  package static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.closed, .receiverWanted), (.backingOff, .retryDue): .go(.connecting, [.connect])
    case (.connecting, .connected): .go(.greeting, [])
    case (.greeting, .identified): .stay([.listReceivers])
    case (.greeting, .greeted): .go(.idle, [])
    case (.idle, .receiverWanted): .go(.watching, [.watch])
    case (.watching, .receiverMissing): .go(.withoutReceiver, [])
    case (.withoutReceiver, .receiverFound): .go(.watching, [])
    // A watch request makes gpsd open an added receiver; without a request, that may take seconds.
    case (.watching, .receiversReopened), (.withoutReceiver, .receiversReopened): .stay([.watch])
    case (.watching, .receiverUnwanted), (.withoutReceiver, .receiverUnwanted): .go(.idle, [.unwatch])
    case (.watching, .released), (.withoutReceiver, .released): .go(.idle, [.unwatch])
    case (.connecting, .released), (.greeting, .released), (.idle, .released): .go(.closed, [.disconnect])
    case (.backingOff, .released): .go(.closed, [])
    case (.closed, .failed): .ignore("There is no connection.")
    case (.backingOff, .failed): .ignore("The failure is handled already.")
    // gpsd itself ends a connection that asks for nothing, after 15 minutes.
    case (.idle, .failed): .go(.closed, [.disconnect])
    case (_, .failed): .go(.backingOff, [.disconnect])

    case (.connecting, .receiverWanted), (.connecting, .retryDue): .ignore("The connection is being made.")
    case (.greeting, .receiverWanted), (.greeting, .retryDue): .ignore("The watch begins after the greeting.")
    case (.watching, .receiverWanted), (.watching, .retryDue): .ignore("The receiver is watched already.")
    case (.withoutReceiver, .receiverWanted), (.withoutReceiver, .retryDue):
      .ignore("gpsd is asked for the receiver already.")
    case (.backingOff, .receiverWanted): .ignore("The next attempt begins when the back-off is over.")
    case (.closed, .retryDue): .ignore("No back-off runs; receiverWanted starts the connection.")
    case (.idle, .retryDue): .ignore("No back-off runs; receiverWanted starts the watch.")

    case (.closed, .receiverUnwanted), (.backingOff, .receiverUnwanted): .ignore("The receiver is off already.")
    case (.connecting, .receiverUnwanted): .ignore("The connection is made anyway, and becomes idle.")
    case (.greeting, .receiverUnwanted): .ignore("The connection stays open, and becomes idle.")
    case (.idle, .receiverUnwanted): .ignore("The receiver isn't watched.")
    case (.closed, .released): .ignore("There is no connection.")

    case (.closed, .connected), (.backingOff, .connected): .ignore("The connection was canceled.")
    case (_, .connected): .ignore("The connection is made already.")

    case (.greeting, .receiverFound), (.greeting, .receiverMissing): .ignore("The receiver isn't watched yet.")
    case (.idle, .receiverFound): .ignore("The receiver isn't watched; another program may watch it.")
    case (.idle, .receiverMissing): .ignore("The receiver isn't watched, so it isn't missed.")
    case (.watching, .receiverFound): .ignore("gpsd has the receiver already.")
    case (.withoutReceiver, .receiverMissing): .ignore("The receiver is missing already.")
    case (.connecting, .receiverFound), (.connecting, .receiverMissing), (.connecting, .identified),
      (.connecting, .greeted):
      .ignore("gpsd sends nothing before it is connected.")
    case (_, .receiverFound), (_, .receiverMissing), (.closed, .identified), (.closed, .greeted),
      (.backingOff, .identified), (.backingOff, .greeted):
      .ignore("The report is from an earlier connection.")
    case (_, .identified), (_, .greeted): .ignore("The greeting is over.")

    case (.closed, .receiversReopened), (.idle, .receiversReopened): .ignore("The receiver is no longer wanted.")
    case (.connecting, .receiversReopened): .ignore("gpsd can't be asked before it is connected.")
    case (.greeting, .receiversReopened): .ignore("The watch begins after the greeting.")
    case (.backingOff, .receiversReopened): .ignore("There is no connection.")
    }
  }

  /// Limits the connection attempt to 30 s, and the greeting to 5 s. A name lookup may take seconds, and so may each address.
  ///
  /// For the back-off, the diagram shows the least delay, half a second. ``GPSDBackOff`` computes the actual delays.
  package static func deadline(in state: State) -> Deadline<Self>? {
    switch state {
    case .connecting: .after(.seconds(30), .failed)
    case .greeting: .after(.seconds(5), .failed)
    case .backingOff: .after(.milliseconds(500), .retryDue, setting: "backOff")
    case .closed, .idle, .watching, .withoutReceiver: nil
    }
  }
}
