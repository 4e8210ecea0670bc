import Foundation

/// A session that declares the use of locations: see `CLServiceSession.h`.
public final class CLServiceSession {
  public enum AuthorizationRequirement: Sendable {
    case none, whenInUse, always
  }

  // For the test: no part of the framework.
  public let requirement: AuthorizationRequirement
  /// Whether it was begun in use, or at once after a launch in the background where one was held before.
  public internal(set) var isSufficientlyInUse: Bool
  /// Until it is invalidated: in front of the framework, releasing it is not enough.
  public private(set) var isValid = true

  public init(authorization: AuthorizationRequirement) {
    let device = StandInDevice.current
    requirement = authorization
    isSufficientlyInUse = device.mayBeginSession
    device.serviceSessions.append(self)
    // What is required and not given is asked for.
    switch authorization {
    case .none: break
    case .whenInUse: device.requestWhenInUse()
    case .always: device.requestAlways()
    }
  }

  public func invalidate() { isValid = false }
}

/// A session that keeps an app in use in the background.
public final class CLBackgroundActivitySession {
  // For the test: no part of the framework.
  public private(set) var isValid = true

  public init() { StandInDevice.current.activitySessions.append(self) }

  public func invalidate() { isValid = false }
}

// MARK: - The sessions of a device

extension StandInDevice {
  private static let currentKey = "StandInDevice"

  /// Sessions name no manager: they belong to the device that was last commanded, or called back, on this thread.
  static var current: StandInDevice {
    guard let device = Thread.current.threadDictionary[currentKey] as? StandInDevice else {
      preconditionFailure("A session is begun before any manager is used.")
    }
    return device
  }

  func makeCurrent() { Thread.current.threadDictionary[Self.currentKey] = self }

  /// The service sessions that are held.
  public var heldServiceSessions: [CLServiceSession] { serviceSessions.filter(\.isValid) }
  /// The background activity sessions that are held.
  public var heldActivitySessions: [CLBackgroundActivitySession] { activitySessions.filter(\.isValid) }
}
