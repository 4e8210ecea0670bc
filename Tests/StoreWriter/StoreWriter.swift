#if os(Linux) || os(macOS)
  import Foundation
  @_spi(Benchmarks) import LocoKit
  @_spi(Benchmarks) import LocoKitJournal
  @_spi(Benchmarks) import LocoKitSimulation
  @_spi(Benchmarks) import LocoKitTrips
  @_spi(Benchmarks) import LocoMachine

  /// A process that writes to a store and kills itself at a random time.
  ///
  /// Without an option, the process writes locations to a last-location store. With `--journal`, it records simulated drives in a journal.
  /// With `--history`, it appends numbered locations to a history and acknowledges some of them. With `--trips`, it records trips with
  /// numbered fixes, which the app starts or an automatic recorder finds. With a count, it writes that many locations and exits. With
  /// `--trips`, and with `--history` without a count, it prints its progress. The exit code is 3 if a store reports a problem. A timeout of the lock isn't a
  /// problem, because many writers on a busy machine cause it and the store retries.
  ///
  ///     StoreWriter FILE SEED
  ///     StoreWriter FILE --count COUNT
  ///     StoreWriter FOLDER --journal SEED
  ///     StoreWriter FILE --history SEED FIRST [COUNT]
  ///     StoreWriter FOLDER --trips SEED FIRST started|found
  @main
  enum StoreWriter {
    static func main() {
      let arguments = CommandLine.arguments
      guard arguments.count >= 3 else { exit(2) }
      let report = { @Sendable (problem: String) in
        if problem.contains("another program has locked") { return }
        FileHandle.standardError.write(Data("\(problem)\n".utf8))
        exit(3)
      }
      if arguments[2] == "--journal", arguments.count == 4, let seed = UInt64(arguments[3]) {
        record(in: URL(filePath: arguments[1]), seed, report)
      }
      if arguments[2] == "--history", arguments.count >= 5, let seed = UInt64(arguments[3]),
        let first = Int(arguments[4])
      {
        let history = LocationHistory(
          file: URL(filePath: arguments[1]), capacity: 100_000, report: report)
        if arguments.count == 6, let count = Int(arguments[5]) { append(count, from: first, to: history, seed) }
        use(history, seed, from: first)
      }
      if arguments[2] == "--trips", arguments.count == 6, let seed = UInt64(arguments[3]), let first = Int(arguments[4])
      {
        let store = TripRecorder.Store(folder: URL(filePath: arguments[1]), capacity: 1_000, report: report)
        recordTrips(in: store, seed, from: first, areFound: arguments[5] == "found")
      }
      let store = LastLocationStore(file: URL(filePath: arguments[1]), report: report)
      if arguments[2] == "--count", arguments.count == 4, let count = Int(arguments[3]) {
        for number in 0..<count { write(Double(number) / 1_000, to: store) }
        exit(isWritten(store.synchronize) ? 0 : 4)
      }
      guard let seed = UInt64(arguments[2]) else { exit(2) }
      var isDoomed = false
      var written = store.location?.latitude ?? 0
      while true {
        written += 0.000_1
        write(written, to: store)
        if !isDoomed { killSoon(seed) }
        isDoomed = true
      }
    }

    private static func write(_ latitude: Double, to store: LastLocationStore) {
      store.location = Location(
        latitude: latitude, longitude: 0, horizontalAccuracy: 5, timestamp: Date(timeIntervalSince1970: 0))
      store.synchronize(within: .seconds(60))
    }

    /// Records drives in small files, so that the journal often begins a new file.
    private static func record(in folder: URL, _ seed: UInt64, _ report: @escaping @Sendable (String) -> Void) -> Never
    {
      var configuration = Journal.Configuration()
      configuration.maximumFileSize = 10_000
      let journal = Journal(folder: folder, configuration: configuration, report: report)
      killSoon(seed, after: 40_000)
      while true {
        let device = SimulatedProvider(route: .losAngeles, seed: seed)
        let manager = LocationManager(provider: RecordingProvider(device, to: journal))
        manager.tryPromptAuthorization()
        device.advance(by: .seconds(60))
        journal.synchronize(within: .seconds(60))
      }
    }

    private static func append(_ count: Int, from first: Int, to history: LocationHistory, _ seed: UInt64) -> Never {
      var random = SeededGenerator(seed: seed)
      for number in first..<first + count {
        history.append(location(number))
        if random.next() % 5 == 0 { history.synchronize(within: .seconds(60)) }
      }
      exit(isWritten(history.synchronize) ? 0 : 4)
    }

    /// Returns whether a store is written. Tries a hundred times at most, since another writer may hold the lock.
    private static func isWritten(_ synchronize: (Duration) -> Bool) -> Bool {
      (0..<100).contains { _ in synchronize(.seconds(60)) }
    }

    private static func use(_ history: LocationHistory, _ seed: UInt64, from first: Int) -> Never {
      Task {
        var random = SeededGenerator(seed: seed)
        var next = first
        let (steps, delay) = (Int.random(in: 0...30, using: &random), UInt32.random(in: 0...2_000, using: &random))
        for step in 0... {
          if step == steps {
            Thread.detachNewThread {
              usleep(delay)
              kill(getpid(), SIGKILL)
            }
          }
          let count = Int.random(in: 1...20, using: &random)
          say("appending \(next + count - 1)")
          for number in next..<next + count {
            var circumstances = LocationManager.Circumstances()
            circumstances.trip = Date(timeIntervalSinceReferenceDate: Double(number))
            history.append(location(number), circumstances: circumstances)
          }
          next += count
          if Bool.random(using: &random) {
            if history.synchronize(within: .seconds(60)) { say("written \(next - 1)") }
          } else {
            let batch = try await history.batch(upTo: Int.random(in: 1...40, using: &random))
            guard let last = batch.entries.last?.location.altitude else { continue }
            say("acknowledging \(Int(last))")
            try await history.acknowledge(through: batch.end)
            say("acknowledged \(Int(last))")
          }
        }
      }
      dispatchMain()
    }

    private static func recordTrips(
      in store: TripRecorder.Store, _ seed: UInt64, from first: Int, areFound: Bool
    ) -> Never {
      var random = SeededGenerator(seed: seed)
      let device = MovingDevice(first)
      let manager = LocationManager(provider: device)
      let recorder = areFound ? TripRecorder.automatic(manager, store: store) : TripRecorder(manager, store: store)
      let ends = Ends()
      recorder.listeners.add(ends)
      manager.tryPromptAuthorization()
      let (steps, delay) = (Int.random(in: 0...25, using: &random), UInt32.random(in: 0...3_000, using: &random))
      for step in 0... {
        if step == steps {
          Thread.detachNewThread {
            usleep(delay)
            kill(getpid(), SIGKILL)
          }
        }
        let choice = random.next() % 8
        let count = Int.random(in: areFound ? 50...600 : 1...40, using: &random)
        say("adding \(device.number + count)")
        if areFound {
          device.isMoving = choice % 2 == 0
        } else if choice > 1 {
          recorder.start()
        } else {
          recorder.stop()
          if choice == 1 { recorder.reset() }
        }
        for _ in 0..<count { device.pass() }
        guard Bool.random(using: &random), store.synchronize(within: .seconds(60)) else { continue }
        for trip in ends.trips { say("ended \(trip.began.timeIntervalSinceReferenceDate) \(trip.fixes.count)") }
        ends.trips = []
        if recorder.state == .recording, let trip = recorder.trip {
          say("written \(trip.began.timeIntervalSinceReferenceDate) \(trip.fixes.count)")
        }
      }
      exit(5)
    }

    private final class Ends: TripRecorderListener {
      var trips: [Trip] = []
      func tripRecorder(_ recorder: TripRecorder, didEnd trip: Trip) { trips.append(trip) }
    }

    /// A device that moves 15 m north each second, unless it rests. The altitude of a fix is the number of its second.
    private final class MovingDevice: LocationProvider {
      private(set) var number: Int
      var isMoving = true
      private var metres: Double
      private var plan = ReceiverPlan()
      private(set) var uptime = Duration.zero
      var date: Date { Date(timeIntervalSinceReferenceDate: 800_000_000 + Double(number)) }
      let authorization = Authorization.always
      let wakeSources: Set<WakeKind> = [.significantChange]
      let backgroundUpdates = LocationManager.BackgroundUpdates.whileMoving
      let recommendedPolicy = AcquisitionPolicy.loco
      var onReport: ProviderReport.Handler?

      init(_ first: Int) { (number, metres) = (first, Double(first) * 15) }

      func apply(_ plan: ReceiverPlan) { self.plan = plan }
      func perform(_ request: ReceiverRequest) {
        if request == .authorization { onReport?(.authorization(authorization)) }
      }

      func pass() {
        number += 1
        uptime += .seconds(1)
        if isMoving { metres += 15 }
        if let timer = plan.timer, uptime >= timer {
          plan.timer = nil
          onReport?(.wake(.timer))
        }
        let isOn = plan.mode == .gps
        let fix = Location(
          latitude: metres / 111_195, longitude: 2, horizontalAccuracy: 5, altitude: Double(number), timestamp: date,
          source: isOn ? .gps : .coarse)
        // While the receiver is off and the app isn't kept running, only a significant change each minute reports a location.
        let isRunning = isOn || plan.keepsAppRunning
        if isRunning || number % 60 == 0 { onReport?(isRunning ? .fixes([fix]) : .wake(.significantChange(fix))) }
      }
    }

    private static func location(_ number: Int) -> Location {
      Location(
        latitude: 1, longitude: 2, horizontalAccuracy: 5, altitude: Double(number),
        timestamp: Date(timeIntervalSinceReferenceDate: Double(number)))
    }

    /// Prints in a single write, so that the reader receives complete lines.
    private static func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

    private static func killSoon(_ seed: UInt64, after most: UInt64 = 200_000) {
      Thread.detachNewThread {
        var random = SeededGenerator(seed: seed)
        var left = UInt64.random(in: 0...most, using: &random)
        while left > 0 { left -= random.next() % 2 }
        kill(getpid(), SIGKILL)
      }
    }
  }
#else
  /// Tests start processes only on Linux and macOS.
  @main
  enum StoreWriter {
    static func main() {}
  }
#endif
