import Foundation

/// gpsd's bytes to reports, whatever the pieces in which they come.
///
/// ```swift
/// var reader = GPSDReader()
/// for output in reader.read(bytes) {
///   if case .report(.fix(let fix)) = output { print(fix.mode) }
/// }
/// ```
///
/// It keeps at most one unfinished line, of at most ``maximumLength`` bytes; a longer one is dropped, up to its end, and said
/// once. So is a line that is no JSON, nests deeper than ``maximumDepth``, or is not what gpsd writes. Nothing stops it.
struct GPSDReader: Sendable {
  /// The longest line that gpsd writes, in bytes.
  static let maximumLength = 10_240
  /// How deep JSON may nest; gpsd's own nests three deep.
  static let maximumDepth = 16

  /// What came of a line.
  enum Output: Hashable, Sendable {
    /// A report.
    case report(GPSDReport)
    /// A line that was dropped.
    case problem(Problem)
  }

  /// Why a line was dropped. No byte of it is in here, for it may hold a location.
  enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line is longer than gpsd's are.
    case tooLong(line: Int)
    /// The line nests deeper than gpsd's do.
    case tooDeep(line: Int)
    /// The line is no JSON object with a class.
    case malformed(line: Int)
    /// A member of the report has not the type that gpsd gives it.
    case wrongType(line: Int, member: String)

    /// A sentence for a log.
    var description: String {
      switch self {
      case .tooLong(let line):
        "line \(line) from gpsd is longer than \(GPSDReader.maximumLength) bytes, and was dropped"
      case .tooDeep(let line): "line \(line) from gpsd nests deeper than \(GPSDReader.maximumDepth), and was dropped"
      case .malformed(let line): "line \(line) from gpsd is no report in JSON, and was dropped"
      case .wrongType(let line, let member):
        "line \(line) from gpsd has a wrong value for \(member), and was dropped"
      }
    }
  }

  /// How many lines have ended.
  private(set) var lines = 0

  private var line: [UInt8] = []
  private var isTooLong = false

  /// A reader at the beginning of a line.
  init() {}

  /// What comes of more bytes.
  mutating func read(_ bytes: some Sequence<UInt8>) -> [Output] {
    var outputs: [Output] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if let output = endLine() { outputs.append(output) }
      } else if isTooLong {
        continue
      } else if line.count < Self.maximumLength {
        line.append(byte)
      } else {
        isTooLong = true
        line.removeAll()
      }
    }
    return outputs
  }

  private mutating func endLine() -> Output? {
    lines += 1
    defer {
      line.removeAll(keepingCapacity: true)
      isTooLong = false
    }
    if isTooLong { return .problem(.tooLong(line: lines)) }
    if line.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: " ") }) { return nil }
    guard Self.depth(of: line) <= Self.maximumDepth else { return .problem(.tooDeep(line: lines)) }
    do {
      return .report(try JSONDecoder().decode(GPSDReport.self, from: Data(line)))
    } catch DecodingError.typeMismatch(_, let context) {
      return .problem(
        context.codingPath.last.map { .wrongType(line: lines, member: Self.name($0)) }
          ?? .malformed(line: lines))
    } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
      return .problem(.wrongType(line: lines, member: Self.name(context.codingPath[context.codingPath.count - 1])))
    } catch {
      return .problem(.malformed(line: lines))
    }
  }

  /// A member that is one of ours by name; any other may hold anything.
  private static func name(_ key: any CodingKey) -> String {
    key.intValue == nil ? key.stringValue : "an array"
  }

  /// How many brackets are open at once, at most; brackets in strings count too, which does no harm.
  private static func depth(of line: [UInt8]) -> Int {
    var (depth, deepest) = (0, 0)
    for byte in line {
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        deepest = max(deepest, depth)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    return deepest
  }
}
