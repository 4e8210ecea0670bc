import LocoDurable
import LocoFoundation
import LocoKit

/// Reads reports from gpsd's bytes, which arrive in pieces of any size.
///
/// The reader buffers one unfinished line of at most ``maximumLength`` bytes. It skips a line that is longer, isn't a report in JSON, nests
/// deeper than `JSONDecoder.maximumDepth`, or has a value of the wrong type in a member that it decodes, and reports a ``Problem``. It skips an
/// empty line without a problem.
struct GPSDReader: Sendable {
  /// The length of gpsd's longest line, in bytes.
  static let maximumLength = 10_240

  /// Why a line was skipped. The line's data isn't included, because it may hold a location.
  enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
    case tooLong(line: Int)
    case tooDeep(line: Int)
    /// The line isn't a JSON object with a class and the members that the class needs.
    case malformed(line: Int)
    case wrongType(line: Int, member: String)

    var description: String {
      switch self {
      case .tooLong(let line):
        "line \(line) from gpsd is longer than \(GPSDReader.maximumLength) bytes, and was dropped"
      case .tooDeep(let line): "line \(line) from gpsd nests deeper than \(JSONDecoder.maximumDepth), and was dropped"
      case .malformed(let line): "line \(line) from gpsd isn't a report in JSON, and was dropped"
      case .wrongType(let line, let member):
        "line \(line) from gpsd has a wrong value for \(member), and was dropped"
      }
    }
  }

  /// The number of complete lines so far.
  private(set) var lines = 0
  private var line: [UInt8] = []
  private var isTooLong = false

  mutating func read(_ bytes: some Sequence<UInt8>) -> [Result<GPSDReport, Problem>] {
    var results: [Result<GPSDReport, Problem>] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if let result = endLine() { results.append(result) }
      } else if isTooLong {
        continue
      } else if line.count < Self.maximumLength {
        line.append(byte)
      } else {
        isTooLong = true
        line.removeAll()
      }
    }
    return results
  }

  private mutating func endLine() -> Result<GPSDReport, Problem>? {
    lines += 1
    defer {
      line.removeAll(keepingCapacity: true)
      isTooLong = false
    }
    if isTooLong { return .failure(.tooLong(line: lines)) }
    if line.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: " ") }) { return nil }
    do {
      return .success(try JSONDecoder().decode(GPSDReport.self, foreign: Data(line)))
    } catch ForeignJSONError.nestsTooDeep {
      return .failure(.tooDeep(line: lines))
    } catch DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context) {
      guard let key = context.codingPath.last else { return .failure(.malformed(line: lines)) }
      return .failure(.wrongType(line: lines, member: key.intValue == nil ? key.stringValue : "an array's element"))
    } catch {
      return .failure(.malformed(line: lines))
    }
  }
}
