import Foundation

@testable import LocoKit
@testable import LocoMachine
@testable import TestSupport

/// A core with its simulated surroundings. Its inputs are called letters.
protocol ExploredWorld {
  associatedtype Letter

  /// The possible inputs.
  var letters: [Letter] { get }
  /// The broken rule, if any.
  var violation: String? { get }
  /// A hash that is equal only for worlds with the same future. Times are relative to now.
  var key: Int { get }
  /// The Swift expression for the world at the start of the search.
  var initializer: String { get }

  mutating func play(_ letter: Letter)
  /// Plays letters that must lead to a good end from every state, and returns the broken rule, if any.
  func afterCalm() -> String?
}

/// Returns a value as Swift code, whose type the context has: a case with its associated values, an optional, a number or a text.
func code(of value: Any) -> String {
  if case .wake(.visit(let visit))? = value as? World.Letter {
    return visit.departure == nil ? ".arrival" : ".departure"
  }
  let mirror = Mirror(reflecting: value)
  switch mirror.displayStyle {
  case .optional: return mirror.children.first.map { code(of: $0.value) } ?? "nil"
  case .collection: return "[" + mirror.children.map { code(of: $0.value) }.joined(separator: ", ") + "]"
  case .set: return "[" + mirror.children.map { code(of: $0.value) }.sorted().joined(separator: ", ") + "]"
  case .enum:
    guard case (let name?, let values)? = mirror.children.first else { return ".\(value)" }
    let tuple = Mirror(reflecting: values)
    guard tuple.displayStyle == .tuple else { return ".\(name)(\(code(of: values)))" }
    let list = tuple.children.map { label, value in
      (label.flatMap { $0.hasPrefix(".") ? nil : "\($0): " } ?? "") + code(of: value)
    }
    return ".\(name)(\(list.joined(separator: ", ")))"
  default: return (value as? String)?.debugDescription ?? "\(value)"
  }
}

extension ExploredWorld {
  /// Plays letters, stops when a rule is broken, and returns that rule, if any.
  mutating func play(_ letters: [Letter]) -> String? {
    for letter in letters where violation == nil { play(letter) }
    return violation
  }
}

/// A breadth-first search that plays every letter in every state, up to a number of states. In a debug build, it also finds events that
/// occur although the machines' tables exclude them.
struct Explorer<World: ExploredWorld> {
  /// The result of a search.
  struct Report {
    var states = 0
    var turns = 0
    /// The number of letters up to which all paths were searched.
    var depth = 0
    var violation: String?
    var path: [World.Letter] = []
    let initializer: String

    /// The path as the source code of a test.
    var test: String {
      """
      @Test("\(violation ?? "")")
      func found() {
        var world = \(initializer)
        #expect(world.play(\(code(of: path))) == nil)
      }
      """
    }
  }

  private struct Node {
    let world: World
    let number: Int32
  }

  let start: World

  /// - Parameter isCalmed: Whether each state must lead to a good end.
  func search(states limit: Int, isCalmed: Bool = true) -> Report {
    let mistakes = Locked<[String]>([])
    return Mistakes.receive({ message in mistakes.change { $0.append(message) } }) {
      search(states: limit, isCalmed: isCalmed, mistakes)
    }
  }

  private func search(states limit: Int, isCalmed: Bool, _ mistakes: Locked<[String]>) -> Report {
    var report = Report(initializer: start.initializer)
    let letters = start.letters
    var known: Set<Int> = [start.key]
    known.reserveCapacity(limit)
    // For each state, its predecessor and the letter in between.
    var origins: [(parent: Int32, letter: UInt8)] = [(-1, 0)]
    var level = [Node(world: start, number: 0)]
    while !level.isEmpty {
      var next: [Node] = []
      for node in level {
        for (index, letter) in letters.enumerated() {
          var world = node.world
          world.play(letter)
          report.turns += 1
          let broken = mistakes.change(\.first) ?? world.violation
          let isNew = broken != nil || known.insert(world.key).inserted
          guard isNew else { continue }
          origins.append((node.number, UInt8(index)))
          let number = Int32(origins.count - 1)
          if let violation = broken ?? (isCalmed ? world.afterCalm() : nil) {
            report.violation = violation
            report.path = path(to: number, origins)
            report.states = known.count
            return report
          }
          next.append(Node(world: world, number: number))
          if known.count >= limit {
            report.states = known.count
            return report
          }
        }
      }
      report.depth += 1
      level = next
    }
    report.states = known.count
    return report
  }

  private func path(to number: Int32, _ origins: [(parent: Int32, letter: UInt8)]) -> [World.Letter] {
    var path: [World.Letter] = []
    var number = Int(number)
    while number > 0 {
      path.append(start.letters[Int(origins[number].letter)])
      number = Int(origins[number].parent)
    }
    return path.reversed()
  }
}

extension World: ExploredWorld {
  var letters: [Letter] { isPhone ? Self.phoneLetters : bound == nil ? Self.letters : Self.lookLetters }
  var initializer: String {
    let authorization = start == .notDetermined ? [] : [".\(start)"]
    let arguments =
      authorization + (bound.map { ["bound: \($0)"] } ?? []) + (isPhone ? ["isPhone: true"] : [])
      + (path.isEmpty ? [] : ["after: \(code(of: path))"])
    return "World(\(arguments.joined(separator: ", ")))"
  }
  func afterCalm() -> String? { Rules.afterCalm(self) }
}
