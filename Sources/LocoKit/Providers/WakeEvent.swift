/// An event that can wake an app, or that changes what the app knows while the mode is ``ReceiverMode/significantChanges``.
///
/// ```swift
/// func ignitionChanged(to isOn: Bool) {
///   onReport?(.wake(.motion(isOn ? .vehicle : .still)))
/// }
/// ```
///
/// Report motion, cells and exits from the region when they occur, whether or not the manager uses them.
public enum WakeEvent: Hashable, Sendable {
  // Indirect, so that the other reports are small: a turn copies its report several times.
  /// The device has probably moved to another cell. The coarse location is `nil` if the platform has none.
  indirect case significantChange(Location?)
  /// The device is outside the region of the ``ReceiverPlan``. Sent once for each ``ReceiverPlan/regionNumber``.
  case regionExit
  /// The device arrived at a place or, if the visit has a departure, left it. Both are reported minutes later.
  indirect case visit(Location.Visit)
  /// The name of the serving cell, which is unique to the cell.
  case cell(String)
  /// The current motion.
  case motion(LocationManager.Motion)
  /// The timer of the ``ReceiverPlan`` has fired.
  case timer

  /// The least distance between two significant changes, in metres, as Apple documents it.
  package static let significantDistance = 500.0
  /// The least time between two significant changes, as Apple documents it.
  package static let significantInterval = Duration.seconds(300)

  /// The kind of the event.
  package var kind: WakeKind {
    switch self {
    case .significantChange: .significantChange
    case .regionExit: .regionExit
    case .visit: .visit
    case .cell: .cell
    case .motion: .motion
    case .timer: .timer
    }
  }

  /// Whether the event shows that the device moves, or has moved.
  package var showsMotion: Bool {
    switch self {
    case .significantChange, .regionExit: true
    case .motion(let motion): motion.isMoving
    case .visit, .cell, .timer: false
    }
  }

  /// Whether the event shows that the device has left a place or a cell.
  package var showsDeparture: Bool {
    switch self {
    case .significantChange, .regionExit: true
    case .visit(let visit): visit.departure != nil
    case .cell, .motion, .timer: false
    }
  }

  /// The data that an event carries. A journal writes an event by its kind and its contents.
  package enum Contents: Equatable {
    case nothing
    case location(Location?)
    case visit(Location.Visit)
    case name(String)
    case motion(LocationManager.Motion)
  }

  /// The data of the event.
  package var contents: Contents {
    switch self {
    case .significantChange(let location): .location(location)
    case .visit(let visit): .visit(visit)
    case .cell(let name): .name(name)
    case .motion(let motion): .motion(motion)
    case .regionExit, .timer: .nothing
    }
  }

  /// Returns the event with its place and its name changed, so that it doesn't reveal where it occurred.
  package func mapPlaces<Failure>(
    _ change: (Location) throws(Failure) -> Location, names: (String) -> String
  ) throws(Failure) -> Self {
    switch self {
    case .significantChange(let location?): .significantChange(try change(location))
    case .visit(let visit):
      .visit(Location.Visit(place: try change(visit.place), arrival: visit.arrival, departure: visit.departure))
    case .cell(let name): .cell(names(name))
    case .significantChange(nil), .regionExit, .motion, .timer: self
    }
  }

  /// Creates an event of a kind with what the source has for it.
  package init<Source: WakeEventSource>(_ kind: WakeKind, from source: inout Source) throws(Source.Failure) {
    switch kind {
    case .significantChange: self = .significantChange(try source.location())
    case .regionExit: self = .regionExit
    case .visit: self = .visit(try source.visit())
    case .cell: self = .cell(try source.name())
    case .motion: self = .motion(try source.motion())
    case .timer: self = .timer
    }
  }
}

/// A source of the contents of events, such as a journal's line.
package protocol WakeEventSource {
  associatedtype Failure: Error

  mutating func location() throws(Failure) -> Location?
  mutating func visit() throws(Failure) -> Location.Visit
  mutating func name() throws(Failure) -> String
  mutating func motion() throws(Failure) -> LocationManager.Motion
}

/// The kind of an event that can wake an app, or that changes what the app knows while the mode is ``ReceiverMode/significantChanges``.
///
/// ```swift
/// // Without timers only regions and significant changes wake the app, which keeps no narrow bound.
/// manager.errorBound = provider.wakeSources.contains(.timer) || provider.backgroundUpdates != .never ? 500 : 1_500
/// ```
///
/// A provider lists the kinds that it reports in ``LocationProvider/wakeSources``. With an error bound, the manager uses all of them.
public enum WakeKind: String, CaseIterable, Codable, Hashable, Sendable {
  /// The system finds that the device has moved to another cell: ``WakeEvent/significantChange(_:)``.
  case significantChange
  /// The device leaves the region of the ``ReceiverPlan``: ``WakeEvent/regionExit``.
  case regionExit
  /// The device arrives at a place or leaves it: ``WakeEvent/visit(_:)``.
  case visit
  /// The serving cell changes, which the provider reports by name: ``WakeEvent/cell(_:)``.
  case cell
  /// The device's motion changes, also while the GPS is off: ``WakeEvent/motion(_:)``.
  case motion
  /// The timer of the ``ReceiverPlan`` fires while the mode is `significantChanges`: with gpsd always, with Core Location only while the app
  /// isn't suspended.
  case timer

  /// Whether the system wakes a suspended app for the event, and launches a terminated one.
  package var launchesApp: Bool { facts.launchesApp }

  /// Whether the event itself can be the ``LocationManager/Cause`` of a location. A timer only ends a wait.
  package var mayCauseLook: Bool { facts.sentence != nil }

  /// The properties that all events of a kind share.
  package struct Facts {
    /// One event of the kind, in English.
    package var one: String
    /// Several events of the kind, in English.
    package var many: String
    package var launchesApp: Bool
    /// The event as the cause of a look, in a few words.
    package var cause: String
    /// The event as the cause of a look, as a sentence; `nil` for an event that is no cause.
    package var sentence: String?

    init(_ one: String, _ many: String, cause: String? = nil, _ sentence: String? = nil, launchesApp: Bool = false) {
      (self.one, self.many, self.launchesApp) = (one, many, launchesApp)
      (self.cause, self.sentence) = (cause ?? one, sentence)
    }
  }

  package var facts: Facts {
    switch self {
    case .significantChange:
      Facts(
        "significant change", "significant changes",
        "The system reported a significant change: another cell, 500 m and five minutes after the last one.",
        launchesApp: true)
    case .regionExit:
      Facts(
        "region exit", "region exits",
        "The system reported that the device left the region around the last location.", launchesApp: true)
    case .visit:
      Facts(
        "visit", "visits", cause: "departure", "The system reported that the device left a place.", launchesApp: true)
    case .cell: Facts("new cell", "cells", "The device moved to another cell.")
    case .motion: Facts("motion", "motions", "The motion sensor reported that the device moves again.")
    case .timer: Facts("timer", "timers")
    }
  }
}
