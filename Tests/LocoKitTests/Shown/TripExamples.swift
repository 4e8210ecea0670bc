import LocoKit
import Testing

@MainActor
@Suite("Examples of trips")
final class TripExamples {
  private let device = SimulatedProvider(route: .losAngeles, seed: 1)
  private let manager: LocationManager
  private var printed: [String] = []

  init() {
    manager = LocationManager(provider: device)
    manager.tryPromptAuthorization()
    device.advance(by: .seconds(60))
  }

  private func print(_ item: Any) { printed.append("\(item)") }

  private func record(_ drive: () -> Void) {
    let trip = TripRecorder(manager)
    trip.prepare()  // some time before: the receiver warms up
    trip.start()
    drive()
    trip.stop()
    print("\(trip.distance) m in \(trip.duration)")
  }

  @Test("a trip has a distance and a duration")
  func records() throws {
    record { device.advance(by: .seconds(300)) }
    let line = try #require(printed.first)
    #expect(line.hasSuffix(" m in 300.0 seconds"))
    #expect(try #require(Double(line.prefix { $0 != " " })) > 5_000)
  }

  @MainActor
  final class Dashboard: @MainActor TripRecorderListener {
    private(set) var text = ""
    private(set) var hint: String?

    func tripRecorder(_ recorder: TripRecorder, didChangeDistance distance: Double) {
      text = "\(Int(distance)) m"
    }

    func tripRecorderDidFindSignalConsistentlyWeak(_ recorder: TripRecorder) {
      hint = "The signal is weak: put the phone where it sees the sky."
    }
  }

  @MainActor
  final class Signal: @MainActor TripRecorderListener {
    private(set) var bars = 0
    private(set) var lines: [String] = []

    func tripRecorder(_ recorder: TripRecorder, didChangeSignal strength: SignalStrength) {
      switch strength {
      case .invalid: bars = 0
      case .weak: bars = 1
      case .strong: bars = 3
      }
    }

    func tripRecorder(_ recorder: TripRecorder, didFail failure: ProviderFailure) {
      switch failure {
      case .locationUnknown: lines.append("no sky")
      case .accessDenied: lines.append("no permission")
      case .backgroundTimeExpired: lines.append("about to be suspended")
      case .other(let words): lines.append(words)
      }
    }
  }

  struct Button {
    let trip: TripRecorder

    var title: String {
      switch trip.state {
      case .idle, .stopped: "Start"
      case .prepared, .recording: "Stop"
      }
    }
  }

  @Test("a trip's listeners hear of the distance and the signal, and its state has a button")
  func listens() {
    let trip = TripRecorder(manager)
    let dashboard = Dashboard()
    let signal = Signal()
    trip.listeners.add(dashboard)
    trip.listeners.add(signal)
    let button = Button(trip: trip)
    #expect(button.title == "Start")
    trip.start()
    #expect(button.title == "Stop")
    device.advance(by: .seconds(60))
    #expect(dashboard.text == "\(Int(trip.distance)) m")
    #expect(signal.bars == 3 && dashboard.hint == nil)
    device.onReport?(.failure(.locationUnknown))
    device.onReport?(.failure(.other("the antenna is loose")))
    #expect(signal.lines == ["no sky", "the antenna is loose"])
  }

  private func measure(_ fixes: [Location]) -> Double {
    var meter = TripMeter()
    for fix in fixes { meter.add(fix) }
    print(meter.distance)
    return meter.distance
  }

  @Test("a meter measures fixes")
  func measures() async throws {
    var fixes: [Location] = []
    let token = manager.listeners.add(onUpdate: { fixes.append($0) })
    let trip = TripRecorder(manager)
    trip.start()
    device.advance(by: .seconds(300))
    #expect(abs(measure(fixes) - trip.distance) < 100)
    #expect(printed.count == 1)
    withExtendedLifetime(token) {}
  }
}
