// Replacements for declarations that the simulation needs and the page's build lacks: those of Foundation, of the concurrency
// library, and of the package's files that the build leaves out.

import Math

public typealias TimeInterval = Double

func sin(_ x: Double) -> Double { Math.sin(x) }
func cos(_ x: Double) -> Double { Math.cos(x) }
func sin(_ x: Float) -> Float { Math.sinf(x) }
func cos(_ x: Float) -> Float { Math.cosf(x) }
func asin(_ x: Double) -> Double { Math.asin(x) }
func atan2(_ y: Double, _ x: Double) -> Double { Math.atan2(y, x) }
func atan2(_ y: Float, _ x: Float) -> Float { Math.atan2f(y, x) }
func exp(_ x: Double) -> Double { Math.exp(x) }
func erfc(_ x: Double) -> Double { Math.erfc(x) }
func log(_ x: Double) -> Double { Math.log(x) }
func log10(_ x: Double) -> Double { Math.log10(x) }
func log10(_ x: Float) -> Float { Math.log10f(x) }
func pow(_ x: Double, _ y: Double) -> Double { Math.pow(x, y) }
func hypot(_ x: Double, _ y: Double) -> Double { Math.hypot(x, y) }

/// A date, like Foundation's: the seconds since the beginning of 2001.
public struct Date: Hashable, Comparable, Sendable {
  var timeIntervalSinceReferenceDate: TimeInterval

  static let timeIntervalBetween1970AndReferenceDate = 978_307_200.0
  static let distantPast = Date(timeIntervalSinceReferenceDate: -63_114_076_800)
  static let distantFuture = Date(timeIntervalSinceReferenceDate: 63_113_904_000)

  init(timeIntervalSinceReferenceDate: TimeInterval) {
    self.timeIntervalSinceReferenceDate = timeIntervalSinceReferenceDate
  }

  init(timeIntervalSince1970 seconds: TimeInterval) {
    timeIntervalSinceReferenceDate = seconds - Self.timeIntervalBetween1970AndReferenceDate
  }

  var timeIntervalSince1970: TimeInterval {
    timeIntervalSinceReferenceDate + Self.timeIntervalBetween1970AndReferenceDate
  }

  func timeIntervalSince(_ other: Date) -> TimeInterval {
    timeIntervalSinceReferenceDate - other.timeIntervalSinceReferenceDate
  }

  func addingTimeInterval(_ seconds: TimeInterval) -> Date { self + seconds }

  public static func < (first: Date, second: Date) -> Bool {
    first.timeIntervalSinceReferenceDate < second.timeIntervalSinceReferenceDate
  }

  static func + (date: Date, seconds: TimeInterval) -> Date {
    Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate + seconds)
  }

  static func - (date: Date, seconds: TimeInterval) -> Date { date + -seconds }

  static func += (date: inout Date, seconds: TimeInterval) { date = date + seconds }

  static func -= (date: inout Date, seconds: TimeInterval) { date = date - seconds }

  // For a description that the page doesn't print.
  var textWithMilliseconds: String { "" }
}

// MARK: - Coding, which the page doesn't do

public protocol Encodable {}
public protocol Decodable {}
public typealias Codable = Decodable & Encodable
protocol CodingKey {}

// MARK: - Observers and consumers with tasks, which the page doesn't have

@usableFromInline
package final class Registrar {
  @usableFromInline var hasReads: Bool { false }
  @usableFromInline package init() {}
  @usableFromInline package func noteRead() {}
  @usableFromInline package func announceChange() {}
}

package enum AsyncStream<Element> {
  package struct Continuation {
    func yield(_ element: Element) {}
    func finish() {}
  }
}

package enum AsyncThrowingStream<Element, Failure> {
  package struct Continuation {
    func yield(_ element: Element) {}
    func finish(throwing failure: AcquisitionFailure?) {}
  }
}

struct Broadcast<Element> {
  func send(_ element: Element) {}
  func finish() {}
}

struct RecentLog<Element> {
  func append(_ element: Element) {}
  var inOrder: [Element] { [] }
}

package struct HomeIsolation {
  static var isOnMainActor: Bool { false }
  func release(_ body: () -> Void) { body() }
}

final class ManualClock {
  func run(until deadline: Duration) {}
  var nextOwnEvent: Duration? { nil }
}

protocol Timeline {}

@usableFromInline
package enum Mistake {
  @usableFromInline package static func report(_ message: String) { fatalError(message) }
}

// MARK: - Casts to protocols, which Embedded Swift doesn't have

extension LocationManager {
  static func observer(_ provider: any LocationProvider) -> (any TurnObserver)? { nil }
  static func machine(_ provider: any LocationProvider) -> (any HostProvider)? { nil }
  static func presenceStore(_ store: any LocationStore) -> (any PresenceStore)? { nil }
}

@propertyWrapper
struct OrNull<Value> {
  var wrappedValue: Value?
}
