#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  extension Summary {
    var json: String { jsonLine }

    var text: String {
      var rows: [(String, String)] = []
      func add(_ label: String, _ text: String?) { if let text { rows.append((label, text)) } }
      let share = durationSeconds > 0 ? gpsOnSeconds / durationSeconds : 0
      add("device", phone?.title)
      add("time", durationSeconds.clock)
      add("bound", boundMeters.map { "the last location at most \($0.oneDecimal) m off" })
      add("GPS on", "\(gpsOnSeconds) s, \(share.percent) of the time")
      add("", dwellGPSOnShare.map { "\($0.percent) of the time while dwelling" })
      if let oracleGPSOnSeconds, let p95ErrorUnderWayMeters {
        add(
          "", "at least \(oracleGPSOnSeconds) s for errors of at most \(p95ErrorUnderWayMeters) m, with the route known"
        )
      }
      if let energyProfile, let milliwatts {
        let battery = percentPerHour.map { ", \($0.twoDecimals) of a new battery per hour" } ?? ""
        add(
          "power",
          "\(milliwatts) mW added on \(energyProfile == "gpsd" ? "a receiver with gpsd" : "an \(energyProfile)")"
            + battery)
      }
      if let range = percentPerHour13ProMax, range.count == 2 {
        add("", "\(range[0].twoDecimals) to \(range[1].twoDecimals) per hour on an iPhone 13 Pro Max")
      }
      if let keptRunningShare, keptRunningShare > 0 {
        add("", "kept running for \(keptRunningShare.percent) of the time")
      }
      add("wake-ups", "\(wakes)" + (wakeReasons.map { ": \($0)" } ?? ""))
      add("looks", Self.list(looks))
      let (met, timedOut, failed) = (acquisitions.met, acquisitions.timedOut, acquisitions.failed)
      add("acquisitions", "\(met) met, \(timedOut) timed out with the best fix, \(failed) failed")
      let known = coverage.map { "; the last location was known for \($0.percent) of the time" } ?? ""
      add("locations", "\(locations)" + known)
      if let medianErrorMeters, let p95ErrorMeters {
        add("error", "median \(medianErrorMeters) m, 95 % under \(p95ErrorMeters) m, over time")
      }
      if let p95ErrorUnderWayMeters {
        let estimate = estimateP95ErrorMeters.map { ", of the estimate under \($0) m" } ?? ""
        add("", "95 % under \(p95ErrorUnderWayMeters) m while under way" + estimate)
        add("", withinBoundShare.map { "within the bound for \($0.percent) of the time under way" })
      }
      add("rejections", Self.list(rejections))
      add("seed", seed.map { "\($0)" })
      return table(rows)
    }

    /// The outcomes of the wake-ups, as text.
    private var wakeReasons: String? {
      guard let wakeOutcomes, wakes > 0 else { return nil }
      return WakeMonitor.Outcome.allCases.map { (wakeOutcomes[$0.rawValue] ?? 0, $0) }.filter { $0.0 > 0 }
        .map { "\($0) \($1.words)" }.joined(separator: ", ")
    }

    /// Returns a list of the counts that aren't zero.
    private static func list(_ counts: [String: Int]) -> String {
      let some = counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      return some.isEmpty ? "none" : some.joined(separator: ", ")
    }
  }

  extension Location {
    /// `34.15873, -118.63269 ±9.6 m`.
    var short: String {
      let accuracy = hasValidAccuracy ? "±\(horizontalAccuracy.oneDecimal) m" : "of unknown accuracy"
      return "\(latitude.fiveDecimals), \(longitude.fiveDecimals) \(accuracy)"
    }
  }

  extension Double {
    var oneDecimal: String { decimals(1) }
    /// A share as a percentage: `4.3 %`.
    var percent: String { (self * 100).oneDecimal + " %" }

    var fiveDecimals: String { decimals(5) }

    /// A number with digits after the point. Zero has no sign.
    private func decimals(_ digits: Int) -> String {
      let text = String(format: "%.*f", digits, self)
      return text.contains { ("1"..."9").contains($0) || $0 == "n" || $0 == "i" } ? text : text.replacing("-", with: "")
    }

    /// `0:12:34.5`, hours, minutes and seconds.
    var clock: String {
      let tenths = Int((self * 10).rounded())
      return String(format: "%d:%02d:%02d.%d", tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60, tenths % 10)
    }
  }
#endif
