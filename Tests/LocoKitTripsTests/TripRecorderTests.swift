import Foundation
import Testing

@testable import LocoKit
@testable import LocoKitTrips
@testable import TestSupport

@Suite("Trip recorders", .covers(TripMachine.self))
struct TripRecorderTests {
  final class Listener: TripRecorderListener {
    var calls: [String] = []
    func tripRecorder(_ recorder: TripRecorder, didChangeDistance distance: Double) {
      calls.append("distance \(Int(distance))")
    }
    func tripRecorder(_ recorder: TripRecorder, didChangeSignal strength: TripRecorder.SignalStrength) {
      calls.append(strength.rawValue)
    }
    func tripRecorderDidFindSignalConsistentlyWeak(_ recorder: TripRecorder) { calls.append("weak for long") }
    func tripRecorder(_ recorder: TripRecorder, didFail failure: ProviderReport.Failure) { calls.append("\(failure)") }
  }

  let fixture = Fixture(in: .waitingSignificantChange)
  let trip: TripRecorder
  let hearer = Listener()

  init() {
    trip = TripRecorder(fixture.manager)
    trip.listeners.add(hearer)
  }

  /// Drives north at 15 m/s.
  func drive(_ seconds: Int, from metres: Double = 0, accuracy: Double = 8) {
    for second in 0..<seconds {
      fixture.provider.pass(1)
      fixture.provider.fix(accuracy, latitude: 34 + (metres + Double(second) * 15) / 111_195)
    }
  }

  @Test("The GPS is on from prepare to stop, and the distance counts from start to stop")
  func records() {
    trip.prepare()
    #expect(fixture.provider.mode == .gps && trip.state == .prepared)
    drive(60)
    #expect(trip.distance == 0 && trip.duration == .zero)
    trip.start()
    drive(100, from: 900)
    #expect(abs(trip.distance / 1_485 - 1) < 0.05)
    #expect(trip.duration == .seconds(100))
    trip.stop()
    let distance = trip.distance
    drive(30, from: 2_400)
    #expect(trip.distance == distance && trip.duration == .seconds(100))
    #expect(fixture.manager.state == .waitingSignificantChange)
  }

  @Test(
    "After a stop, the signal's strength is unknown until the next fix, as for a new recorder",
    arguments: [true, false])
  func signalAfterAStop(isPrepared: Bool) {
    for _ in 0..<2 {
      #expect(trip.signalStrength == .invalid)
      trip.start()
      #expect(trip.signalStrength == .invalid)
      drive(5)
      #expect(trip.signalStrength == .strong)
      trip.stop()
      if isPrepared { trip.prepare() } else { trip.start() }
      #expect(trip.signalStrength == .invalid)
      trip.stop()
      trip.reset()
      trip.prepare()
      #expect(trip.signalStrength == .invalid)
      trip.stop()
    }
  }

  @Test("CYLocationManager: a second part adds its distance, without the distance between the parts")
  func twoParts() {
    trip.start()
    drive(60)
    trip.stop()
    let first = trip.distance
    fixture.provider.pass(600)
    trip.start()
    drive(60, from: 20_000)
    #expect(abs(trip.distance - 2 * first) < 60)
    #expect(trip.duration == .seconds(120))
    trip.stop()
    trip.reset()
    #expect(trip.distance == 0 && trip.duration == .zero && trip.state == .idle)
  }

  @Test("A reset while recording continues from 0")
  func reset() {
    trip.start()
    drive(60)
    trip.reset()
    #expect(trip.distance == 0 && trip.state == .recording && trip.duration == .zero)
    drive(60, from: 900)
    #expect(trip.distance > 700 && trip.duration == .seconds(60))
  }

  @Test(
    "The accuracy determines the signal strength",
    arguments: [
      (0, TripRecorder.SignalStrength.strong), (20, .strong), (20.1, .weak), (70, .weak), (70.1, .invalid),
      (-1, .invalid),
      (.nan, .invalid),
    ])
  func strength(_ accuracy: Double, _ strength: TripRecorder.SignalStrength) {
    #expect(TripRecorder.SignalStrength(accuracy: accuracy) == strength)
  }

  @Test("CYLocationManager: 15 s of weak signal are reported once, and from then on less accurate fixes count")
  func weakForLong() {
    trip.start()
    drive(14, accuracy: 40)
    drive(1, accuracy: 15)
    drive(14, accuracy: 40)
    #expect(!hearer.calls.contains("weak for long"))
    drive(60, from: 500, accuracy: 40)
    #expect(hearer.calls.filter { $0 == "weak for long" }.count == 1)
    #expect(trip.distance > 300)
    #expect(hearer.calls.prefix(4) == ["weak", "strong", "weak", "weak for long"])
  }

  @Test(
    "Which fixes are weak follows from the configured accuracies", arguments: [(10.0, 70.0, 15.0), (20, 150, 100)])
  func configuredWeakness(required: Double, weak: Double, accuracy: Double) {
    let recorder = TripRecorder(fixture.manager, requiredAccuracy: required, weakAccuracy: weak)
    recorder.listeners.add(hearer)
    recorder.start()
    drive(14, accuracy: accuracy)
    drive(1, from: 210, accuracy: required)
    drive(14, from: 225, accuracy: accuracy)
    #expect(!hearer.calls.contains("weak for long") && recorder.distance == 0)
    drive(120, from: 435, accuracy: accuracy)
    #expect(hearer.calls.filter { $0 == "weak for long" }.count == 1 && recorder.distance > 800)
  }

  @Test(
    "If a fix is followed by ten seconds without another, the signal is invalid, and the receiver is restarted once")
  func silence() {
    trip.start()
    var before = fixture.provider.commands.count
    for _ in 0..<60 { fixture.provider.pass(1) }
    #expect(fixture.provider.commands.count == before)
    for _ in 0..<2 {
      drive(5)
      before = fixture.provider.commands.count
      for _ in 0..<9 { fixture.provider.pass(1) }
      #expect(trip.signalStrength == .strong)
      for _ in 0..<45 { fixture.provider.pass(1) }
      #expect(fixture.provider.commands.dropFirst(before) == ["restart"] && trip.signalStrength == .invalid)
    }
    #expect(fixture.manager.state == .acquiring)
    trip.stop()
    fixture.provider.pass(16)
    #expect(fixture.manager.state == .waitingSignificantChange)
  }

  @Test("Silence after a weak fix isn't a consistently weak signal")
  func silenceWhileWeak() {
    trip.start()
    drive(1, from: 0, accuracy: 40)
    for _ in 0..<30 { fixture.provider.pass(1) }
    #expect(trip.signalStrength == .invalid && !hearer.calls.contains("weak for long"))
  }

  @Test("Failures are reported, and the trip continues")
  func errors() {
    trip.start()
    for _ in 0..<10 { fixture.provider.report(.failure(.other("noise"))) }
    fixture.provider.report(.failure(.locationUnknown))
    #expect(hearer.calls.count == 11)
    drive(60)
    #expect(trip.distance > 500)
  }

  @Test("During a pause the GPS is off, and no distance counts")
  func paused() {
    trip.start()
    drive(60)
    fixture.manager.pause()
    #expect(fixture.provider.mode == .off)
    let before = trip.distance
    fixture.provider.pass(600)
    fixture.manager.resume()
    #expect(!fixture.provider.commands.contains("restart"), "the silence of a pause isn't the receiver's")
    drive(60, from: 50_000)
    #expect(trip.distance - before < 900 + 60)
    // GPX and GeoJSON draw no line over the pause.
    #expect(trip.trip?.segments.count == 2)
  }

  @Test("A pause stops the clock and makes the signal unknown, also of a trip that begins during the pause")
  func pausedClock() {
    trip.start()
    drive(60)
    hearer.calls = []
    fixture.manager.pause()
    #expect(trip.signalStrength == .invalid && hearer.calls == ["invalid"])
    fixture.provider.pass(600)
    #expect(trip.duration == .seconds(60))
    trip.reset()
    fixture.provider.pass(600)
    fixture.manager.resume()
    #expect(trip.duration == .zero)
    drive(60, from: 900)
    #expect(trip.duration == .seconds(59) && trip.trip.map { $0.duration == .seconds(59) } == true)
    trip.stop()
    hearer.calls = []
    fixture.manager.pause()
    #expect(hearer.calls == [] && trip.duration == .seconds(59))
  }

  @Test(
    "The clock of a trip that starts or continues during a pause waits for the first fix", arguments: [true, false])
  func startInAPause(isNew: Bool) {
    if !isNew {
      trip.start()
      drive(60)
      trip.stop()
    }
    let before = trip.duration
    fixture.manager.pause()
    trip.start()
    fixture.provider.pass(600)
    fixture.manager.resume()
    fixture.provider.pass(20)
    #expect(trip.state == .recording && trip.duration == before)
    // A weak fix suffices.
    drive(10, from: 5_000, accuracy: 90)
    #expect(trip.duration == before + .seconds(9))
  }

  @Test("The clock of a trip that starts while the manager is off waits for the first fix", arguments: [true, false])
  func startWhileOff(isDenied: Bool) {
    // After an error, the state is `denied` although the authorization allows locations.
    if isDenied { fixture.provider.decide(.denied) } else { fixture.provider.report(.failure(.accessDenied)) }
    trip.start()
    fixture.provider.pass(600)
    fixture.provider.decide(.notDetermined)
    fixture.manager.tryPromptAuthorization()
    fixture.provider.decide(.always)
    fixture.provider.pass(20)
    #expect(trip.state == .recording && trip.duration == .zero)
    drive(10, from: 5_000)
    #expect(trip.duration == .seconds(9))
  }

  @Test("After a pause the time of weak signal counts from 0, and no timer is set during the pause")
  func pausedSignal() {
    trip.start()
    drive(5, accuracy: 40)
    fixture.manager.pause()
    #expect(fixture.provider.timer == nil)
    fixture.provider.pass(60)
    fixture.manager.resume()
    drive(10, accuracy: 40)
    #expect(!hearer.calls.contains("weak for long"))
  }

  @Test("If a listener stops a trip while it begins, the GPS is turned off, and a later start turns it on")
  func reentrant() {
    fixture.recorder.onCall = { [trip] _, call in
      if call.hasPrefix("waitingSignificantChange>") { trip.stop() }
    }
    trip.start()
    #expect(trip.state == .stopped)
    fixture.provider.pass(16)
    #expect(fixture.provider.mode == .significantChanges)
    fixture.recorder.onCall = nil
    trip.start()
    #expect(fixture.provider.mode == .gps)
    trip.stop()
    fixture.provider.pass(16)
    #expect(fixture.provider.mode == .significantChanges)
  }

  @Test("After the clock is set back, only the distance of a few fixes is lost")
  func setBack() {
    trip.start()
    drive(60)
    let before = trip.distance
    fixture.provider.date -= 3_600
    drive(100, from: 900)
    #expect(trip.distance - before > 1_300)
  }

  @Test("A released recorder ends its use of the GPS")
  func letGo() {
    var other: TripRecorder? = TripRecorder(fixture.manager)
    other?.start()
    #expect(fixture.provider.mode == .gps)
    other = nil
    fixture.provider.pass(16)
    #expect(fixture.manager.state == .waitingSignificantChange)
  }

  @Test("With two recorders, the manager's trip is one that is being recorded")
  func twoRecorders() {
    let other = TripRecorder(fixture.manager)
    trip.start()
    drive(10)
    other.start()
    drive(10, from: 150)
    other.stop()
    drive(10, from: 300)
    #expect(fixture.manager.trip == trip.trip?.began)
    other.start()
    drive(10, from: 450)
    trip.stop()
    drive(10, from: 600)
    #expect(fixture.manager.trip == other.trip?.began)
    other.stop()
    #expect(fixture.manager.trip == nil)
  }

  @Test("A trip is in the store when a listener is notified of its end")
  func storedAtItsEnd() async throws {
    final class Reader: TripRecorderListener {
      let (store, folder): (TripRecorder.Store, URL)
      init(_ store: TripRecorder.Store, _ folder: URL) { (self.store, self.folder) = (store, folder) }
      // A copy of the files shows what another launch would find.
      func tripRecorder(_ recorder: TripRecorder, didEnd trip: Trip) {
        #expect(store.synchronize())
        #expect(throws: Never.self) {
          try FileManager.default.copyItem(at: folder, to: folder.appendingPathExtension("copy"))
        }
      }
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "trips-\(UUID().uuidString)")
    let copy = folder.appendingPathExtension("copy")
    defer { for each in [folder, copy] { try? FileManager.default.removeItem(at: each) } }
    let store = TripRecorder.Store(folder: folder)
    let recorder = TripRecorder(fixture.manager, store: store)
    let reader = Reader(store, folder)
    recorder.listeners.add(reader)
    recorder.start()
    drive(60)
    recorder.stop()
    #expect(try await TripRecorder.Store(folder: copy).trips().count == 1)
    withExtendedLifetime(reader) {}
  }

  @Test("Listeners are held weakly")
  func weakly() {
    do {
      let other = Listener()
      trip.listeners.add(other)
    }
    trip.start()
    drive(60)
    #expect(trip.listeners.count == 1)
    #expect(hearer.calls.contains { $0.hasPrefix("distance") })
  }
}
