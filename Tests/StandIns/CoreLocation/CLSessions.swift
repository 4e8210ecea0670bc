import Foundation
import Synchronization

/// A session of an app that uses locations: see `CLServiceSession.h`.
public final class CLServiceSession: Sendable {
  public enum AuthorizationRequirement: Sendable {
    case none, whenInUse, always
  }

  /// The reasons why a session has no effect or a limited effect.
  public struct Diagnostic: Sendable {
    public var alwaysAuthorizationDenied = false
    public var insufficientlyInUse = false

    public init() {}
  }

  public typealias Diagnostics = AsyncThrowingStream<Diagnostic, any Error>

  /// The diagnostics. The stand-in yields them only for devices on the main actor, where a test can await them.
  public let diagnostics: Diagnostics
  private let told: Diagnostics.Continuation

  // For tests. Not part of the framework.
  public let requirement: AuthorizationRequirement
  /// Whether the session is effective: it began while the app was in the foreground, or immediately after a background launch of an app
  /// whose previous launch held a session.
  public var isSufficientlyInUse: Bool {
    get { state.withLock { $0.isSufficientlyInUse } }
    set {
      state.withLock { $0.isSufficientlyInUse = newValue }
      notify()
    }
  }
  /// Whether the user has refused Always.
  public var isAlwaysDenied: Bool {
    get { state.withLock { $0.isAlwaysDenied } }
    set {
      state.withLock { $0.isAlwaysDenied = newValue }
      notify()
    }
  }
  /// Whether the session is held: until `invalidate()`. Releasing the session doesn't end it.
  public var isValid: Bool { state.withLock { $0.isValid } }

  private struct State {
    var isSufficientlyInUse = false
    var isAlwaysDenied = false
    var isValid = true
  }

  private let state = Mutex(State())
  private let hasReportedTrip: Bool

  private func notify() {
    guard hasReportedTrip else { return }
    var diagnostic = Diagnostic()
    (diagnostic.insufficientlyInUse, diagnostic.alwaysAuthorizationDenied) = (!isSufficientlyInUse, isAlwaysDenied)
    told.yield(diagnostic)
  }

  public init(authorization: AuthorizationRequirement) {
    let device = StandInDevice.current
    requirement = authorization
    hasReportedTrip = device.isOnMainActor
    (diagnostics, told) = Diagnostics.makeStream()
    device.serviceSessions.append(self)
    isSufficientlyInUse = device.mayBeginSession
    // A session that requires a permission shows a prompt if the permission isn't granted.
    switch authorization {
    case .none: break
    case .whenInUse: device.requestWhenInUse()
    case .always: device.requestAlways()
    }
  }

  public func invalidate() {
    state.withLock { $0.isValid = false }
    told.finish()
  }
}

/// A session that keeps an app in use while it is in the background.
public final class CLBackgroundActivitySession {
  // For tests. Not part of the framework.
  public private(set) var isValid = true
  /// Whether the session began in the foreground. Any other session has no effect.
  public let isEffective: Bool

  public init() {
    let device = StandInDevice.current
    isEffective = device.isInForeground
    device.activitySessions.append(self)
  }

  public func invalidate() { isValid = false }
}

// MARK: - The sessions of a device

extension StandInDevice {
  private static let currentKey = "StandInDevice"

  /// The device of a new session: the device whose manager or delegate was called last on this thread. A session itself has no manager.
  static var current: StandInDevice {
    guard let device = Thread.current.threadDictionary[currentKey] as? StandInDevice else {
      preconditionFailure("A session begins before any manager is used.")
    }
    return device
  }

  func makeCurrent() { Thread.current.threadDictionary[Self.currentKey] = self }

  /// The service sessions that are held.
  public var heldServiceSessions: [CLServiceSession] { serviceSessions.filter(\.isValid) }
  /// The background activity sessions that are held.
  public var heldActivitySessions: [CLBackgroundActivitySession] { activitySessions.filter(\.isValid) }
}
