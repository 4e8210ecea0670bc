import Foundation
import Synchronization

/// A session that declares the use of locations: see `CLServiceSession.h`.
public final class CLServiceSession: Sendable {
  public enum AuthorizationRequirement: Sendable {
    case none, whenInUse, always
  }

  /// Why a session has no effect, or a limited one.
  public struct Diagnostic: Sendable {
    public var alwaysAuthorizationDenied = false
    public var insufficientlyInUse = false

    public init() {}
  }

  public typealias Diagnostics = AsyncThrowingStream<Diagnostic, any Error>

  /// The diagnostics. The stand-in yields them only for devices of the main actor, where a test can await them.
  public let diagnostics: Diagnostics
  private let told: Diagnostics.Continuation

  // For tests. Not part of the framework.
  public let requirement: AuthorizationRequirement
  /// Whether it began while the app was in use, or immediately after a background launch of an app that held one before.
  public var isSufficientlyInUse: Bool {
    get { state.withLock { $0.isSufficientlyInUse } }
    set {
      state.withLock { $0.isSufficientlyInUse = newValue }
      tell()
    }
  }
  /// Whether the user has refused Always.
  public var isAlwaysDenied: Bool {
    get { state.withLock { $0.isAlwaysDenied } }
    set {
      state.withLock { $0.isAlwaysDenied = newValue }
      tell()
    }
  }
  /// Whether it is held. Only invalidation ends it; with the framework, releasing it isn't enough.
  public var isValid: Bool { state.withLock { $0.isValid } }

  private struct State {
    var isSufficientlyInUse = false
    var isAlwaysDenied = false
    var isValid = true
  }

  private let state = Mutex(State())
  private let isTold: Bool

  private func tell() {
    guard isTold else { return }
    var diagnostic = Diagnostic()
    (diagnostic.insufficientlyInUse, diagnostic.alwaysAuthorizationDenied) = (!isSufficientlyInUse, isAlwaysDenied)
    told.yield(diagnostic)
  }

  public init(authorization: AuthorizationRequirement) {
    let device = StandInDevice.current
    requirement = authorization
    isTold = device.isOnMainActor
    (diagnostics, told) = Diagnostics.makeStream()
    device.serviceSessions.append(self)
    isSufficientlyInUse = device.mayBeginSession
    // A required permission that isn't granted shows a prompt.
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

/// A session that keeps an app in use in the background.
public final class CLBackgroundActivitySession {
  // For tests. Not part of the framework.
  public private(set) var isValid = true
  /// Whether it began in the foreground. Otherwise it has no effect.
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

  /// The device of a new session, which has no manager: the one that was last commanded, or called back, on this thread.
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
