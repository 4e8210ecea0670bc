public import LocoKit

/// The activity of a phone in a replay: the seconds in each power state, and the events.
public struct Counts: Hashable, Sendable {
  /// A power state.
  public enum Power: Int, CaseIterable, Sendable {
    /// The GPS is on, or was on during the last 5 s.
    case gps
    /// The app is kept running in 100 m mode.
    case coarse
    /// The app is kept running in 3 km mode.
    case idle
    /// The app is suspended.
    case suspended
  }

  /// Two numbers, for the time at rest and for the time in journeys.
  public struct Split: Hashable, Sendable {
    /// The number at rest.
    public private(set) var rest = 0
    /// The number in journeys.
    public private(set) var moving = 0

    /// Returns the number in journeys or at rest.
    public func value(moving isMoving: Bool) -> Int { isMoving ? moving : rest }

    mutating func add(_ number: Int, moving isMoving: Bool) {
      if isMoving { moving += number } else { rest += number }
    }
  }

  /// Milliseconds in each state.
  private var milliseconds = Power.allCases.map { _ in Split() }
  /// The wake-ups of the suspended app by a region, a visit or a significant change. For the oracle, one per GPS start.
  public internal(set) var wakes = Split()
  /// The number of GPS starts.
  public internal(set) var looks = Split()
  /// The number of changes from 3 km mode to 100 m mode.
  public internal(set) var switches = Split()
  /// The looks that the manager began, by their causes.
  public internal(set) var causes: [LocationManager.Cause: Split] = [:]

  /// Creates counts of zero.
  public init() {}

  /// Returns the seconds in a state.
  public func seconds(_ power: Power, moving isMoving: Bool) -> Double {
    Double(milliseconds[power.rawValue].value(moving: isMoving)) / 1_000
  }

  /// Returns the seconds in all states.
  public func seconds(moving isMoving: Bool) -> Double {
    Power.allCases.reduce(0) { $0 + seconds($1, moving: isMoving) }
  }

  mutating func add(milliseconds time: Int64, _ power: Power, moving isMoving: Bool) {
    milliseconds[power.rawValue].add(Int(time), moving: isMoving)
  }

  static func += (sum: inout Counts, other: Counts) {
    for isMoving in [false, true] {
      for power in Power.allCases {
        let time = other.milliseconds[power.rawValue].value(moving: isMoving)
        sum.milliseconds[power.rawValue].add(time, moving: isMoving)
      }
      sum.wakes.add(other.wakes.value(moving: isMoving), moving: isMoving)
      sum.switches.add(other.switches.value(moving: isMoving), moving: isMoving)
      sum.looks.add(other.looks.value(moving: isMoving), moving: isMoving)
      for (cause, looks) in other.causes {
        sum.causes[cause, default: Split()].add(looks.value(moving: isMoving), moving: isMoving)
      }
    }
  }
}
