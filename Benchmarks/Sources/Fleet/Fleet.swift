import Dispatch
import Foundation
import LocoKit
import LocoKitSimulation
import Workload

/// Runs a day of many simulated devices on all cores, and prints their memory and the time.
@main
enum FleetCommand {
  static let usage = """
    usage: Fleet [DEVICES]

    Creates DEVICES simulated devices, each with a manager (1 to 1,000,000; the default is 100,000), runs the same day on
    all of them, hour by hour, on all cores, and prints the memory and the time.
    """

  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.contains("--help") || arguments.contains("-h") { return print(usage) }
    let count = arguments.first.map(UInt64.init) ?? 100_000
    guard arguments.count <= 1, let count, (1...1_000_000).contains(count) else {
      FileHandle.standardError.write(Data((usage + "\n").utf8))
      exit(64)
    }
    run(count)
  }

  private static func run(_ count: UInt64) {
    let cores = UInt64(ProcessInfo.processInfo.activeProcessorCount)
    let shares = (0..<cores).map { core in count * core / cores..<count * (core + 1) / cores }
    _ = SimulatedProvider.Route.day
    let before = peakMemory()

    // In each call of `each`, one iteration uses each fleet.
    nonisolated(unsafe) let fleets = UnsafeMutableBufferPointer<Fleet>.allocate(capacity: shares.count)
    func each(_ body: @Sendable (Int) -> Void) {
      withoutActuallyEscaping(body) { DispatchQueue.concurrentPerform(iterations: shares.count, execute: $0) }
    }
    each { core in fleets.initializeElement(at: core, to: Fleet(shares[core])) }
    report("created", count, before)
    each { core in fleets[core].start() }
    report("after the request for the permission", count, before)

    let start = ContinuousClock.now
    for hour in 1...24 {
      each { core in fleets[core].run(until: .seconds(3_600 * hour)) }
      FileHandle.standardError.write(Data("\rhour \(hour) of 24".utf8))
    }
    FileHandle.standardError.write(Data("\r                \r".utf8))
    let time = ContinuousClock.now - start
    report("after the day", count, before)

    var gpsOn = Duration.zero
    var locations = 0
    for device in fleets.lazy.flatMap(\.devices) {
      gpsOn += device.provider.energy.gpsOn
      locations += device.manager.location == nil ? 0 : 1
    }
    let seconds = time / .seconds(1)
    print(
      "- the day of all devices on \(cores) cores: \(format(seconds)) s, \(format(seconds * 1_000 * Double(cores) / Double(count))) ms of core time each"
    )
    print(
      "- devices with a location at the end: \(locations) of \(count); GPS on for \(format(gpsOn / .seconds(Double(count)))) s on average"
    )
  }

  private static func report(_ what: String, _ count: UInt64, _ before: Int) {
    let bytes = peakMemory() - before
    print("- \(count) devices, \(what): \(format(Double(bytes) / 1e6)) MB, \(Int(bytes) / Int(count)) bytes each")
  }

  private static func format(_ number: Double) -> String {
    number.formatted(.number.precision(.fractionLength(1)).grouping(.never).locale(Locale(identifier: "en_US_POSIX")))
  }

  /// Returns the peak memory of the process so far, in bytes.
  private static func peakMemory() -> Int {
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return usage.ru_maxrss * 1_024
    #else
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #endif
  }
}
