import Foundation

extension LocationCore {
  /// An event, with the numbers that belong to it.
  enum Fact {
    case event(LocationMachine.Event)
    /// An event that a demand causes.
    case demanded(LocationMachine.Event)
    case changed(Location?)
    case lookDue(LocationManager.LookCause)
    case accepted(Location)
    case coarse(Location)
    case acquired(Location)
    case failed(AcquisitionFailure)

    var isDemanded: Bool { if case .demanded = self { true } else { false } }
    var event: LocationMachine.Event {
      switch self {
      case .event(let event), .demanded(let event): event
      case .changed: .significantChange
      case .lookDue: .lookDue
      case .accepted: .fixAccepted
      case .coarse: .coarseFixAccepted
      case .acquired: .acquired
      case .failed: .acquisitionFailed
      }
    }

    /// What the listeners are notified of; `nil` where an effect isn't for them.
    func notification(of effect: LocationMachine.Effect) -> Action? {
      switch (self, effect) {
      case (_, .requestAuthorization): nil
      case (.changed(let change), _): .significantChange(change)
      case (.lookDue(let cause), _): .look(cause)
      case (.accepted(let location), _), (.coarse(let location), _), (.acquired(let location), _): .deliver(location)
      case (.failed(let failure), _): .acquisitionFailed(failure)
      case (.event, .notify(let notice)), (.demanded, .notify(let notice)):
        switch notice {
        case .accessGranted: .notify(.accessGranted)
        case .accessDenied: .notify(.accessDenied)
        case .promptExpired: .notify(.promptExpired)
        case .forceAcquire: .notify(.forceAcquire)
        case .paused: .notify(.paused)
        case .resumed: .notify(.resumed)
        // Their facts have a payload.
        case .significantChange, .lookDue, .acquisitionFailed: nil
        }
      case (.event, .deliverLocation), (.demanded, .deliverLocation): nil
      }
    }
  }
}

extension Authorization {
  /// The event that an authorization raises.
  var event: LocationMachine.Event {
    switch self {
    case .notDetermined: .authorizationReset
    case .restricted, .denied: .refused
    case .whenInUse, .always: .authorized
    }
  }
}
