#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit
  import LocoKitSimulation

  /// A route that is part of the program.
  enum BuiltInRoute: String, CaseIterable {
    case freeway, day

    static let help =
      "a built-in route: freeway, half an hour on the 101 through Los Angeles (default), or day, a day with long stays "
      + "indoors"

    var route: SimulatedProvider.Route { self == .freeway ? .losAngeles : .day }

    /// The longest route, in days: the true position of each second is in memory.
    private static let longestRoute = 31.0

    /// Returns a recorded route, and notes about it for the user.
    static func recorded(_ file: URL) throws -> (SimulatedProvider.Route, notes: [String]) {
      let track: SimulatedProvider.GPXTrack
      do { track = try SimulatedProvider.GPXTrack(contentsOf: file) } catch {
        throw Failure(code: error.isMissing ? .noInput : .badData, message: "\(error)")
      }
      let days = track.route.duration.seconds / 86_400
      guard days <= longestRoute else {
        throw Failure(
          code: .badData,
          message:
            "\(file.path) takes \(days.oneDecimal) days; a drive takes at most \(Int(longestRoute)) days. Split the file."
        )
      }
      return (track.route, track.notes)
    }

    static func refusal(of names: Set<String>) -> String? {
      names.isSuperset(of: ["--gpx", "--route"]) ? "--gpx and --route are both routes: choose one." : nil
    }
  }
#endif
