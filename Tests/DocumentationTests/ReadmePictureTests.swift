import Foundation
import LocoKit
import LocoKitSimulation
import Testing

@testable import LocoKitDemo
@testable import TestSupport

/// The README's picture: the location machine beside a drive to work on which it runs.
///
/// `RECORD=1 swift test --filter Picture` writes the files.
@MainActor
@Suite("The picture of the README")
struct ReadmePictureTests {
  @Test("The picture is drawn from the simulated drive", arguments: ReadmePicture.Scheme.allCases)
  func compare(scheme: ReadmePicture.Scheme) throws {
    let text = ReadmePicture.drive.svg(scheme)
    let file = Repository.root.appending(path: "Sources/LocoKit/LocoKit.docc/Resources/drive-\(scheme.rawValue).svg")
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    #expect(recorded == text, "\(file.lastPathComponent) differs; write it with RECORD=1 swift test --filter Picture")
  }

  @Test("Each arrow in the picture is in the machine's table")
  func arrows() throws {
    for arrow in ReadmePicture.arrows {
      for event in arrow.events {
        #expect(LocationMachine.reaction(in: arrow.source, to: event).target == arrow.target, "\(event.rawValue)")
      }
    }
  }
}

/// A drive of the demo's day, drawn as an animated picture.
@MainActor
struct ReadmePicture {
  enum Scheme: String, CaseIterable, Sendable {
    case light, dark

    /// The colours of the ground, of boxes, of text, of lines, and of the GPS.
    var colors: (ground: String, box: String, text: String, line: String, gps: String) {
      switch self {
      case .light: ("#f6f8fa", "#ffffff", "#1f2328", "#8c959f", "#0b7a3b")
      case .dark: ("#151b23", "#0d1117", "#e6edf3", "#6e7681", "#3ddc84")
      }
    }
  }

  /// An acquisition: its start and end in seconds from the beginning of the picture, and the location that it delivered.
  struct Look {
    let start: Double
    var end: Double
    var location: Location?
  }

  static let drive = ReadmePicture()
  static let bound = 500.0
  /// From just before the departure until a minute after the arrival.
  private static let times = 27_560..<29_220
  /// The duration of the animation, in seconds.
  private static let shown = 16.0

  private let positions: [SimulatedProvider.Route.Point]
  private let looks: [Look]

  static let arrows: [(source: LocationMachine.State, events: [LocationMachine.Event], target: LocationMachine.State)] =
    [
      (.prompted, [.authorized], .acquiring), (.acquiring, [.acquired], .waitingSignificantChange),
      (.waitingSignificantChange, [.significantChange, .lookDue], .acquiring), (.acquiring, [.pause], .paused),
      (.paused, [.resume], .acquiring),
    ]

  init() {
    let (route, phone) = (BuiltInRoute.day.route, Phone.background)
    let setup = Setup(phone: phone, configuration: phone.configuration(hasBound: true), bound: Self.bound)
    let recorder = Recorder()
    let trip = Trip(setup, route: route, truth: GroundTruth(route), listener: { _ in recorder })
    recorder.now = { [unowned trip] in trip.provider.uptime.seconds - Double(Self.times.lowerBound) }
    trip.manager.tryPromptAuthorization()
    for _ in 0..<Self.times.upperBound { trip.advance() }
    positions = Self.times.map { route.position(at: Double($0)) }
    looks = recorder.looks.filter { $0.start >= 0 && $0.end.isFinite }
  }

  private final class Recorder: LocationManagerListener {
    var now: () -> Double = { 0 }
    private(set) var looks: [Look] = []

    func locationManager(
      _ manager: LocationManager, didTransition transition: LocationManager.Transition
    ) {
      if transition.to == .acquiring { looks.append(Look(start: now(), end: .infinity)) }
      if transition.from == .acquiring, !looks.isEmpty { looks[looks.count - 1].end = now() }
    }

    func locationManager(_ manager: LocationManager, didUpdate location: Location) {
      guard let last = looks.last, last.location == nil, last.end == now() else { return }
      looks[looks.count - 1].location = location
    }
  }

  // MARK: - Drawing

  private static let map = (x: 350.0, y: 30.0, width: 470.0, height: 190.0)

  /// Returns the place on the picture.
  private func point(_ latitude: Double, _ longitude: Double) -> (x: Double, y: Double) {
    let (latitudes, longitudes) = (positions.map(\.latitude), positions.map(\.longitude))
    guard let south = latitudes.min(), let north = latitudes.max(), let west = longitudes.min(),
      let east = longitudes.max()
    else { return (0, 0) }
    let scale = metresToPoints
    let shrink = cos(latitude * .pi / 180) * 111_320
    let (width, height) = ((east - west) * shrink * scale, (north - south) * 110_574 * scale)
    return (
      Self.map.x + (Self.map.width - width) / 2 + (longitude - west) * shrink * scale,
      Self.map.y + (Self.map.height + height) / 2 - (latitude - south) * 110_574 * scale
    )
  }

  private var metresToPoints: Double {
    let (latitudes, longitudes) = (positions.map(\.latitude), positions.map(\.longitude))
    let height = ((latitudes.max() ?? 0) - (latitudes.min() ?? 0)) * 110_574
    let width = ((longitudes.max() ?? 0) - (longitudes.min() ?? 0)) * 111_320 * cos((latitudes.first ?? 0) * .pi / 180)
    return min(Self.map.width / max(width, 1), Self.map.height / max(height, 1))
  }

  func svg(_ scheme: Scheme) -> String {
    let colors = scheme.colors
    let on = looks.reduce(0) { $0 + $1.end - $1.start }
    let minutes = positions.count / 60
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 840 300" width="840" height="300" font-family="-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="13">
      <title>The state machine beside a drive to work: \(looks.count) looks turn the GPS on for \(Int(on.rounded())) seconds in \(minutes) minutes</title>
      <style>
      .on { opacity: 0; animation: on \(Self.shown)s linear infinite; }
      .device { animation: device \(Self.shown)s linear infinite; }
      .look { animation-duration: \(Self.shown)s; animation-timing-function: step-end; animation-iteration-count: infinite; }
      \(keyframes)
      @media (prefers-reduced-motion: reduce) { * { animation: none !important; } }
      </style>
      <rect width="840" height="300" rx="10" fill="\(colors.ground)"/>
      \(machine(colors))
      \(route(colors))
      \(strip(colors, on: on, minutes: minutes))
      </svg>

      """
  }

  /// The movement of the device, the lamp of the GPS, and the moment at which each look appears.
  private var keyframes: String {
    let device = stride(from: 0, to: positions.count, by: 12).map { second in
      let (x, y) = point(positions[second].latitude, positions[second].longitude)
      return "\(share(second)) { transform: translate(\(x.tenth)px, \(y.tenth)px); }"
    }
    // A look of a second would last a hundredth of one here, so each is shown for half a second.
    let least = Double(positions.count) / Self.shown / 2
    var lamp = ["0% { opacity: 0; }"]
    for look in looks {
      let end = max(look.end, look.start + least)
      lamp += [
        "\(share(look.start - 1)) { opacity: 0; }", "\(share(look.start)) { opacity: 1; }",
        "\(share(end)) { opacity: 1; }",
        "\(share(end + 1)) { opacity: 0; }",
      ]
    }
    let appearances = looks.indices.map {
      "@keyframes look\($0) { 0% { opacity: 0; } \(share(looks[$0].start)) { opacity: 1; } 100% { opacity: 1; } }"
    }
    return "@keyframes device { \(device.joined(separator: " ")) }\n@keyframes on { \(lamp.joined(separator: " ")) }\n"
      + appearances.joined(separator: "\n")
  }

  /// Returns a time as a percentage of the animation.
  private func share(_ second: Double) -> String {
    (100 * max(0, min(1, second / Double(positions.count)))).fixed(3) + "%"
  }

  private func share(_ second: Int) -> String { share(Double(second)) }

  private static let boxes: [(state: LocationMachine.State, x: Double, y: Double, width: Double)] = [
    (.prompted, 30, 40, 100), (.acquiring, 210, 40, 110), (.waitingSignificantChange, 120, 205, 200),
    (.paused, 30, 125, 80),
  ]

  private func machine(_ colors: (ground: String, box: String, text: String, line: String, gps: String)) -> String {
    func arrow(_ path: String, _ tip: (Double, Double), _ way: (Double, Double)) -> String {
      let (x, y) = tip
      let side = (-way.1, way.0)
      let back = (x - 8 * way.0, y - 8 * way.1)
      return "<path d=\"\(path)\" fill=\"none\" stroke=\"\(colors.line)\" stroke-width=\"1.5\"/>"
        + "<path d=\"M\(x),\(y) L\(back.0 + 4 * side.0),\(back.1 + 4 * side.1) L\(back.0 - 4 * side.0),\(back.1 - 4 * side.1) z\" "
        + "fill=\"\(colors.line)\"/>"
    }
    func label(_ text: String, _ x: Double, _ y: Double, _ anchor: String = "start") -> String {
      "<text x=\"\(x)\" y=\"\(y)\" fill=\"\(colors.text)\" font-size=\"12\" text-anchor=\"\(anchor)\">\(text)</text>"
    }
    let boxes = Self.boxes.map { box in
      let isAcquiring = box.state == .acquiring
      let frame = "x=\"\(box.x)\" y=\"\(box.y)\" width=\"\(box.width)\" height=\"36\" rx=\"8\""
      return "<rect \(frame) fill=\"\(colors.box)\" stroke=\"\(colors.line)\" stroke-width=\"1.5\"/>"
        + (isAcquiring ? "<rect class=\"on\" \(frame) fill=\"\(colors.gps)\" fill-opacity=\"0.5\"/>" : "")
        + "<text x=\"\(box.x + box.width / 2)\" y=\"\(box.y + 23)\" fill=\"\(colors.text)\" text-anchor=\"middle\">\(box.state.rawValue)</text>"
    }
    return """
      \(arrow("M130,58 H202", (210, 58), (1, 0)))\(label("authorized", 168, 50, "middle"))
      \(arrow("M235,76 V197", (235, 205), (0, 1)))\(label("acquired", 229, 185, "end"))
      \(arrow("M285,205 V84", (285, 76), (0, -1)))\(label("lookDue", 291, 138))\(label("significant-", 291, 154))\(label("Change", 291, 168))
      \(arrow("M210,70 C150,80 130,100 112,128", (108, 134), (-0.55, 0.83)))\(label("pause", 128, 92, "end"))
      \(arrow("M110,150 C160,150 190,120 214,84", (219, 77), (0.55, -0.83)))\(label("resume", 170, 146))
      \(boxes.joined(separator: "\n"))
      """
  }

  private func route(_ colors: (ground: String, box: String, text: String, line: String, gps: String)) -> String {
    let path = stride(from: 0, to: positions.count, by: 6).map { second in
      let (x, y) = point(positions[second].latitude, positions[second].longitude)
      return "\(x.tenth),\(y.tenth)"
    }
    let marks = looks.indices.compactMap { index -> String? in
      guard let location = looks[index].location else { return nil }
      let (x, y) = point(location.latitude, location.longitude)
      let radius = max(3, location.horizontalAccuracy * metresToPoints)
      return
        "<g class=\"look\" style=\"animation-name: look\(index)\"><circle cx=\"\(x.tenth)\" cy=\"\(y.tenth)\" r=\"\(radius.tenth)\" "
        + "fill=\"\(colors.gps)\" fill-opacity=\"0.2\"/><circle cx=\"\(x.tenth)\" cy=\"\(y.tenth)\" r=\"3\" fill=\"\(colors.gps)\"/></g>"
    }
    let end = positions.last.map { point($0.latitude, $0.longitude) } ?? (x: 0, y: 0)
    let home = positions.first.map { point($0.latitude, $0.longitude) } ?? (x: 0, y: 0)
    func name(_ text: String, _ place: (x: Double, y: Double), _ shift: Double) -> String {
      "<text x=\"\(place.x.tenth)\" y=\"\((place.y + shift).tenth)\" fill=\"\(colors.text)\" font-size=\"12\" text-anchor=\"middle\">\(text)</text>"
    }
    let place = "transform: translate(\(end.x.tenth)px, \(end.y.tenth)px)"
    return """
      <polyline points="\(path.joined(separator: " "))" fill="none" stroke="\(colors.line)" stroke-width="2"/>
      \(name("home", home, 16))\(name("work", end, -12))
      \(marks.joined(separator: "\n"))
      <g class="device" style="\(place)"><circle r="7" fill="\(colors.text)"/><circle class="on" r="11" fill="none" stroke="\(colors.gps)" stroke-width="4"/></g>
      """
  }

  private func strip(
    _ colors: (ground: String, box: String, text: String, line: String, gps: String), on: Double, minutes: Int
  ) -> String {
    let (left, width) = (Self.map.x, Self.map.width)
    let failures = looks.count { $0.location == nil }
    let missed = failures == 0 ? "" : " (\(failures) without a fix)"
    let marks = looks.map { look in
      let x = left + width * look.start / Double(positions.count)
      return
        "<rect x=\"\(x.tenth)\" y=\"244\" width=\"\(max(1.5, width * (look.end - look.start) / Double(positions.count)).tenth)\" "
        + "height=\"14\" fill=\"\(colors.gps)\"/>"
    }
    return """
      <rect x="\(left)" y="250" width="\(width)" height="2" fill="\(colors.line)"/>
      \(marks.joined())
      <text x="\(left)" y="281" fill="\(colors.text)">Within \(Int(Self.bound)) m: GPS on for \(Int(on.rounded())) s of \(minutes) min, in \(looks.count) looks\(missed)</text>
      """
  }
}

extension Double {
  fileprivate var tenth: String { fixed(1) }
  fileprivate func fixed(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}
