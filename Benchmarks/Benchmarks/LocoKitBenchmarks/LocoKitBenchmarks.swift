import Benchmark
import Foundation
import LocoKit
import LocoKitJournal
import LocoKitSimulation
import Rivals
import Workload

// Each iteration runs all contestants, so other load on the machine affects all of them, and a ratio compares times of one iteration.
// Values are whole numbers: picoseconds for times (microseconds for a day), thousandths for ratios.

/// Whether each benchmark runs once, and most with little work, as a smoke test: `LOCOKIT_BENCHMARKS=short`.
private let isShort = ProcessInfo.processInfo.environment["LOCOKIT_BENCHMARKS"] == "short"

let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    warmupIterations: isShort ? 0 : 1, maxDuration: .seconds(isShort ? 1 : 120), maxIterations: isShort ? 1 : 25)
  for stream in EventStream.allCases { events(stream) }
  runners()
  inputsAndActivities()
  for count in [1, 16, 100, 10_000] { listeners(count) }
  acquisitions()
  recording()
  day("home, work and an hour's drive", .day)
  day("driven from beginning to end", .driven)
}

/// Measures an event of the location machine. Each contestant keeps the state and adds up the numbers of the effects.
private func events(_ stream: EventStream) {
  let count = isShort ? 10_000 : 10_000_000
  let events = stream.events(count)
  var contestants: [(name: String, run: () -> UInt64)] = [
    ("C++ flat table", { events.withBytes { rival_flat_table($0, $1) } }),
    ("TransitionTable", { TableMachine().run(events) }),
    ("Swift switch", { SwitchMachine().run(events) }),
    ("C++ switch", { events.withBytes { rival_switch($0, $1) } }),
  ]
  if rival_has_boost_msm { contestants.append(("Boost.MSM", { events.withBytes { rival_boost_msm($0, $1) } })) }

  let times = contestants.map { BenchmarkMetric.custom("\($0.name), ps an event") }
  let ratios = contestants.map { BenchmarkMetric.custom("\($0.name) : C++ flat table, thousandths") }
  Benchmark("Events, \(stream.rawValue)", configuration: .init(wholeNumbers: times + ratios.dropFirst())) { benchmark in
    var measured = [Double](repeating: 0, count: contestants.count)
    var sums: Set<UInt64> = []
    for turn in contestants.indices {
      let index = (turn + benchmark.currentIteration) % contestants.count
      measured[index] = picoseconds { sums.insert(contestants[index].run()) } / Double(count)
    }
    precondition(sums.count == 1, "All contestants run the same machine, so the sums of their effects are equal.")
    for index in contestants.indices {
      benchmark.measurement(times[index], Int(measured[index]))
      benchmark.measurement(ratios[index], Int(1_000 * measured[index] / measured[0]))
    }
  }
}

/// Measures an event of a turnstile: with a runner, with only a table, and with dictionaries, as in other state-machine libraries.
private func runners() {
  let count = isShort ? 10_000 : 2_000_000
  let events = TurnstileStream.events(count)
  let contestants: [(name: String, run: () -> Int)] = [
    ("TransitionTable", { TurnstileTable().run(events) }),
    ("MachineRunner", { TurnstileRunner().run(events) }),
    ("MachineRunner with a listener", { TurnstileRunner(listens: true).run(events) }),
    ("dictionaries", { TurnstileDictionary().run(events) }),
  ]
  let times = contestants.map { BenchmarkMetric.custom("\($0.name), ps an event") }
  let ratios = contestants.map { BenchmarkMetric.custom("\($0.name) : dictionaries, thousandths") }
  Benchmark("Events, run", configuration: .init(wholeNumbers: times + ratios.dropLast())) { benchmark in
    var measured = [Double](repeating: 0, count: contestants.count)
    var refunds: Set<Int> = []
    for turn in contestants.indices {
      let index = (turn + benchmark.currentIteration) % contestants.count
      measured[index] = picoseconds { refunds.insert(contestants[index].run()) } / Double(count)
    }
    precondition(refunds.count == 1, "All contestants run the same machine, so they refund the same number of coins.")
    for index in contestants.indices {
      benchmark.measurement(times[index], Int(measured[index]))
      benchmark.measurement(ratios[index], Int(1_000 * measured[index] / (measured.last ?? 1)))
    }
  }
}

/// Measures an event without an input, an event whose input may have data, and an activity of two closures. The activity's cost is the
/// difference between a machine with the activity and one without.
private func inputsAndActivities() {
  let count = isShort ? 10_000 : 2_000_000
  let (events, inputs) = (TurnstileStream.events(count), TurnstileStream.inputs(count))
  let bare = BenchmarkMetric.custom("an event without an input, ps")
  let input = BenchmarkMetric.custom("an event with an input, ps")
  let activity = BenchmarkMetric.custom("an activity's start and stop, ps")
  Benchmark("Inputs and activities", configuration: .init(wholeNumbers: [bare, input, activity])) { benchmark in
    benchmark.measurement(bare, Int(picoseconds { _ = TurnstileRunner().run(events) } / Double(count)))
    benchmark.measurement(input, Int(picoseconds { _ = PaidTurnstileRunner().run(inputs) } / Double(count)))
    let doors = Doors()
    let dark = picoseconds { doors.openDark(count) }
    let lit = picoseconds { doors.openLit(count) }
    precondition(doors.switched == (count, count), "The lamp is switched on and off each time.")
    benchmark.measurement(activity, Int((lit - dark) / Double(count)))
  }
}

/// Measures the notification of an additional listener, held weakly in a registry or strongly in an array.
private func listeners(_ count: Int) {
  let times = max(1, (isShort ? 1_000 : 1_000_000) / count)
  let audience = Audience(count)
  let nobody = Audience(0)
  let strong = BenchmarkMetric.custom("strong array, ps a listener")
  let weak = BenchmarkMetric.custom("ListenerRegistry, ps a listener")
  let ratio = BenchmarkMetric.custom("ListenerRegistry : strong array, thousandths")
  let turn = BenchmarkMetric.custom("the rest of the manager's turn, ps")
  Benchmark("Listeners, \(count)", configuration: .init(wholeNumbers: [strong, weak, ratio, turn])) { benchmark in
    let strongTime = picoseconds { audience.tellStrongly(times) } / Double(times * count)
    let turnTime = picoseconds { nobody.notify(times) } / Double(times)
    let weakTime = picoseconds { audience.notify(times) } / Double(times * count) - turnTime / Double(count)
    benchmark.measurement(strong, Int(strongTime))
    benchmark.measurement(weak, Int(weakTime))
    benchmark.measurement(ratio, Int(1_000 * weakTime / strongTime))
    benchmark.measurement(turn, Int(turnTime))
  }
}

/// Measures a request for a location, the provider's fix, and the notification of a listener.
private func acquisitions() {
  let count = isShort ? 100 : 100_000
  let acquisitions = Acquisitions()
  let time = BenchmarkMetric.custom("LocationManager, ps an acquisition")
  Benchmark("A fix, from provider to listener", configuration: .init(wholeNumbers: [time])) { benchmark in
    benchmark.measurement(time, Int(picoseconds { acquisitions.run(count) } / Double(count)))
  }
}

/// Measures an acquisition with a journal: the time until the calls return, and the time until the file is written.
private func recording() {
  let pieces = isShort ? 1 : 50
  // Few enough acquisitions that the journal's queue doesn't overflow.
  let count = isShort ? 100 : 1_000
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "loco-benchmark-\(ProcessInfo.processInfo.processIdentifier)")
  let plainTime = BenchmarkMetric.custom("without a journal, ps an acquisition")
  let time = BenchmarkMetric.custom("RecordingProvider, ps an acquisition")
  let writtenTime = BenchmarkMetric.custom("RecordingProvider and its file, ps an acquisition")
  let ratio = BenchmarkMetric.custom("RecordingProvider : without a journal, thousandths")
  let writtenRatio = BenchmarkMetric.custom("RecordingProvider and its file : without a journal, thousandths")
  let metrics = [plainTime, time, writtenTime, ratio, writtenRatio]
  Benchmark("A fix, written into a journal", configuration: .init(wholeNumbers: metrics)) { benchmark in
    let journal = Journal(folder: folder)
    let (plain, recorded) = (Acquisitions(), Acquisitions(recordedIn: journal))
    var (without, with, written) = (0.0, 0.0, 0.0)
    for _ in 0..<pieces {
      without += picoseconds { plain.run(count) }
      let waited = picoseconds { recorded.run(count) }
      with += waited
      written +=
        waited
        + picoseconds {
          precondition(journal.synchronize(within: .seconds(60)), "The journal is written within a minute.")
        }
    }
    let total = Double(pieces * count)
    benchmark.measurement(plainTime, Int(without / total))
    benchmark.measurement(time, Int(with / total))
    benchmark.measurement(writtenTime, Int(written / total))
    benchmark.measurement(ratio, Int(1_000 * with / without))
    benchmark.measurement(writtenRatio, Int(1_000 * written / without))
    try? FileManager.default.removeItem(at: folder)
  }
}

/// Measures a day of one simulated device with its manager.
private func day(_ name: String, _ route: SimulatedProvider.Route) {
  let time = BenchmarkMetric.custom("SimulatedProvider, microseconds a day")
  Benchmark("A simulated day, \(name)", configuration: .init(wholeNumbers: [time])) { benchmark in
    let fleet = Fleet(1..<2, route: route)
    fleet.start()
    benchmark.measurement(time, Int(picoseconds { fleet.run(until: .seconds(86_400)) } / 1e6))
    precondition(fleet.devices[0].provider.energy.gpsStarts > 0, "A day has at least one acquisition.")
  }
}

private func picoseconds(_ body: () -> Void) -> Double {
  let start = ContinuousClock.now
  body()
  let (seconds, attoseconds) = (ContinuousClock.now - start).components
  return Double(seconds) * 1e12 + Double(attoseconds) * 1e-6
}

extension Benchmark.Configuration {
  /// A configuration whose metrics are printed as whole numbers, not in thousands.
  fileprivate init(wholeNumbers metrics: [BenchmarkMetric]) {
    self.init(metrics: metrics, units: Dictionary(uniqueKeysWithValues: metrics.map { ($0, .count) }))
  }
}

extension [LocationMachine.Event] {
  /// Calls a closure with the events as bytes for C++, and with their number.
  fileprivate func withBytes(_ body: (UnsafePointer<UInt8>?, Int) -> UInt64) -> UInt64 {
    withUnsafeBytes { bytes in body(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count) }
  }
}
