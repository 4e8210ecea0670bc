// The part of Core Motion that the motion sensor uses, scripted by a test.
public import Foundation

public enum CMMotionActivityConfidence: Int, Sendable {
  case low = 0
  case medium = 1
  case high = 2
}

public final class CMMotionActivity: NSObject, Sendable {
  public let stationary: Bool
  public let walking: Bool
  public let running: Bool
  public let automotive: Bool
  public let cycling: Bool
  public let unknown: Bool
  public let confidence: CMMotionActivityConfidence
  public let startDate: Date

  // For tests. The framework has no public initializer.
  public init(_ names: Set<String>, confidence: CMMotionActivityConfidence = .high, startDate: Date = .distantPast) {
    self.startDate = startDate
    (stationary, walking) = (names.contains("stationary"), names.contains("walking"))
    (running, cycling) = (names.contains("running"), names.contains("cycling"))
    (automotive, unknown) = (names.contains("automotive"), names.contains("unknown"))
    self.confidence = confidence
  }
}

public typealias CMMotionActivityHandler = @Sendable (CMMotionActivity?) -> Void
public typealias CMMotionActivityQueryHandler = @Sendable ([CMMotionActivity]?, (any Error)?) -> Void

public final class CMMotionActivityManager: NSObject {
  private var handler: CMMotionActivityHandler?
  private var wasStarted = false

  public override init() {
    super.init()
    Thread.current.threadDictionary[Self.newestKey] = Newest(manager: self)
  }

  public class func isActivityAvailable() -> Bool { true }

  public func startActivityUpdates(to queue: OperationQueue, withHandler handler: @escaping CMMotionActivityHandler) {
    if !wasStarted { promptsShown += 1 }
    wasStarted = true
    self.handler = handler
  }

  public func stopActivityUpdates() { handler = nil }

  /// Calls the handler synchronously, on the caller's thread.
  public func queryActivityStarting(
    from start: Date, to end: Date, to queue: OperationQueue,
    withHandler handler: @escaping CMMotionActivityQueryHandler
  ) {
    queries.append((start, end))
    handler(
      isAllowed ? stored.filter { (start...end).contains($0.startDate) } : nil,
      isAllowed ? nil : CocoaError(.featureUnsupported))
  }

  // For tests. Not part of the framework.
  public private(set) var promptsShown = 0
  /// The activities that the system stores.
  public var stored: [CMMotionActivity] = []
  public private(set) var queries: [(from: Date, to: Date)] = []
  /// The user's answer. Without permission, updates report nothing and a query fails.
  public var isAllowed = true
  public var isOn: Bool { handler != nil }

  /// Reports an activity, if the updates are on and the user has allowed them.
  public func report(_ activity: CMMotionActivity) {
    if isAllowed { handler?(activity) }
  }

  private final class Newest {
    weak var manager: CMMotionActivityManager?
    init(manager: CMMotionActivityManager) { self.manager = manager }
  }

  private static let newestKey = "StandInMotionActivityManager"

  /// The manager that was created last on this thread; `nil` if it has been released.
  public static var newest: CMMotionActivityManager? {
    (Thread.current.threadDictionary[newestKey] as? Newest)?.manager
  }
}
