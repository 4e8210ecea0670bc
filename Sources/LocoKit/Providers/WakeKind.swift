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
  public var launchesApp: Bool {
    switch self {
    case .significantChange, .regionExit, .visit: true
    case .cell, .motion, .timer: false
    }
  }

  /// Whether the event itself can be the ``LocationManager/Cause`` of a location. A timer only ends a wait.
  public var mayCauseLook: Bool {
    switch self {
    case .significantChange, .regionExit, .visit, .cell, .motion: true
    case .timer: false
    }
  }

  /// One and several events of the kind, in English.
  package var words: (one: String, many: String) {
    switch self {
    case .significantChange: ("significant change", "significant changes")
    case .regionExit: ("region exit", "region exits")
    case .visit: ("visit", "visits")
    case .cell: ("new cell", "cells")
    case .motion: ("motion", "motions")
    case .timer: ("timer", "timers")
    }
  }
}
