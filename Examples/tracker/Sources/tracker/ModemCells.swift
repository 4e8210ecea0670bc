import Foundation

/// The serving cell of a modem, as ModemManager reports it.
///
/// The modem may appear later, and ModemManager may restart. Without a modem or the permission, the cell is `nil`, and a line in the log says
/// why, once.
@MainActor
final class ModemCells {
  private let bus: SystemBus
  private let log: (String) -> Void
  /// Receives each new cell, and `nil` when no modem reports one any more.
  private let onCell: (String?) -> Void
  /// The setup of a modem before the tracker's: its sources, and whether the bus told of locations.
  private struct Setup: Codable {
    let sources: UInt32
    let signals: Bool
  }
  /// The setups of one start of the machine, whose modems have lost them after the next one.
  private struct Setups: Codable { let boot: String, modems: [String: Setup] }
  /// The earlier setups, by path. A file keeps them, so that a tracker that was killed restores them at its next end.
  private var setups: [String: Setup] = [:] {
    didSet {
      guard let file else { return }
      do {
        try JSONEncoder().encode(Setups(boot: Self.boot, modems: setups)).write(to: file, options: .atomic)
      } catch {
        log(
          "\(file.path) can't be written, so a tracker that is killed won't restore the modem: \(error.localizedDescription)"
        )
      }
    }
  }
  private static let boot = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? ""
  private let file: URL?
  private var last: String?
  private var lastLine = ""
  /// The next setup of a modem whose setup another program has changed.
  private var later: Task<Void, Never>?
  /// The modems that weren't set up, because another program uses their positions.
  private var declined: Set<String> = []
  private var hasEnded = false

  private static let service = "org.freedesktop.ModemManager1"
  private static let root = "/org/freedesktop/ModemManager1"
  private static let objects = "org.freedesktop.DBus.ObjectManager"
  private static let modem = "org.freedesktop.ModemManager1.Modem"
  private static let location = "org.freedesktop.ModemManager1.Modem.Location"
  /// `MM_MODEM_STATE_ENABLED`.
  private static let enabled = 6.0
  /// `MM_MODEM_LOCATION_SOURCE_3GPP_LAC_CI`.
  private static let cellSource: UInt32 = 1
  /// `MM_MODEM_LOCATION_SOURCE_GPS_RAW`, `…_GPS_NMEA` and `…_CDMA_BS`. The other sources only set up the GPS, and report nothing.
  private static let positionSources: UInt32 = 0b1110
  private static let timeToNextSetup = Duration.seconds(10)

  /// - Parameter file: The file of the modems' earlier setups; `nil` beside a tracker that runs.
  init(_ bus: SystemBus, file: URL?, log: @escaping (String) -> Void, onCell: @escaping (String?) -> Void) {
    (self.bus, self.file, self.log, self.onCell) = (bus, file, log, onCell)
    guard let data = file.flatMap({ try? Data(contentsOf: $0) }) else { return }
    if let kept = try? decode(Setups.self, from: data), kept.boot == Self.boot { setups = kept.modems }
  }

  /// - Throws: A ``Problem`` if the bus accepts no watches.
  func start() throws {
    try bus.onOwner(of: Self.service) { [weak self] isRunning in
      guard let self else { return }
      if isRunning { return find() }
      later?.cancel()
      (setups, declined, later) = ([:], [], nil)
      tell([:], "ModemManager has stopped; no cells until it runs again")
    }
    for name in ["InterfacesAdded", "InterfacesRemoved"] {
      try bus.onSignal((Self.service, Self.root, Self.objects, name), first: nil) { [weak self] _, _ in self?.find() }
    }
    // A modem refuses the setup until it is enabled, which NetworkManager may do later.
    try bus.onSignal((Self.service, "", Self.modem, "StateChanged"), first: nil) { [weak self] _, values in
      if values.count == 3, let state = values[1].number, state >= Self.enabled { self?.find() }
    }
    let changed = (Self.service, "", "org.freedesktop.DBus.Properties", "PropertiesChanged")
    try bus.onSignal(changed, first: Self.location) { [weak self] _, _ in self?.find(setsUp: false) }
    find()
  }

  /// Asks for the cells of all modems, and for the reports of those that don't report it.
  private func find(setsUp: Bool = true) {
    bus.call((Self.service, Self.root, Self.objects, "GetManagedObjects"), []) { [weak self] reply in
      guard let self, !hasEnded else { return }
      switch reply {
      case .failure(let error):
        tell([:], "no cells: ModemManager doesn't answer (\(error))")
      case .success(let values):
        let modems = Self.modems(in: values)
        declined.formIntersection(modems.keys)
        if setups.keys.contains(where: { modems[$0] == nil }) { setups = setups.filter { modems[$0.key] != nil } }
        for (path, modem) in modems where !Self.reportsCell(modem) {
          if setsUp || declined.contains(path) && !Self.isPrivate(modem) {
            setUp(path, modem)
          } else if setups[path] != nil, Self.isEnabled(modem) {
            setUpLater(path)
          }
        }
        let problem = modems.isEmpty ? "no cells: ModemManager has no modem" : nil
        tell(modems.compactMapValues(Self.cell), problem)
      }
    }
  }

  /// Returns the properties of the modems' locations, by path.
  private static func modems(in objects: [BusValue]) -> [String: [String: BusValue]] {
    (objects.first?.map ?? [:]).compactMapValues { interfaces in
      guard var properties = interfaces.map[location]?.map else { return nil }
      properties["State"] = interfaces.map[modem]?.map["State"]
      return properties
    }
  }

  /// Whether a modem may be set up. A modem that is being disabled loses its setup.
  private static func isEnabled(_ modem: [String: BusValue]) -> Bool { modem["State"]?.number ?? enabled >= enabled }

  /// Whether another program uses the modem's positions without signals, which would show them to every user.
  private static func isPrivate(_ modem: [String: BusValue]) -> Bool {
    !signals(of: modem) && sources(of: modem) & positionSources != 0
  }

  private static func sources(of modem: [String: BusValue]) -> UInt32 {
    modem["Enabled"]?.number.flatMap(UInt32.init(exactly:)) ?? 0
  }

  private static func signals(of modem: [String: BusValue]) -> Bool { modem["SignalsLocation"]?.flag ?? false }

  private static func reportsCell(_ modem: [String: BusValue]) -> Bool {
    sources(of: modem) & cellSource != 0 && signals(of: modem)
  }

  /// Turns on the reports of the cell, besides the sources that other programs use.
  private func setUp(_ path: String, _ modem: [String: BusValue]) {
    let (sources, signals) = (Self.sources(of: modem), Self.signals(of: modem))
    guard !Self.isPrivate(modem) else {
      declined.insert(path)
      return say(
        "no cells: another program uses the modem's positions, and the cell's signals would show them to every user")
    }
    declined.remove(path)
    let isNew = setups[path] == nil
    if isNew { setups[path] = Setup(sources: sources, signals: signals) }
    bus.call((Self.service, path, Self.location, "Setup"), Self.setup(sources | Self.cellSource, true)) {
      [weak self] reply in
      guard let self, !hasEnded else { return }
      if case .failure(let error) = reply {
        if isNew { setups[path] = nil }
        return say("no cells: ModemManager refuses them (\(error)); see the README, What it talks to")
      }
      find(setsUp: false)
    }
  }

  /// Sets up a modem again after a while, because another program's setup has ended its reports.
  private func setUpLater(_ path: String) {
    guard later == nil else { return }
    say("no cells: another program has changed the setup of the modem \(path); it is set up again")
    later = Task { [weak self] in
      guard (try? await Task.sleep(for: Self.timeToNextSetup)) != nil, let self else { return }
      later = nil
      find()
    }
  }

  private static func setup(_ sources: UInt32, _ signals: Bool) -> [BusValue] {
    [.number(Double(sources)), .flag(signals)]
  }

  /// Restores the modems' setups, so that no cell stays readable on the bus. Keeps the sources that another program has turned on since, but
  /// not the tracker's signals. Waits for the replies, because ModemManager asks polkit about a caller that must then still be connected.
  func end() async {
    hasEnded = true
    later?.cancel()
    if setups.isEmpty { return }
    let reply = await bus.call((Self.service, Self.root, Self.objects, "GetManagedObjects"), [])
    let modems = Self.modems(in: (try? reply.get()) ?? [])
    for (path, old) in setups {
      guard let modem = modems[path] else { continue }
      let sources = Self.sources(of: modem) & (old.sources | ~Self.cellSource)
      let signals = old.signals && Self.signals(of: modem)
      let reply = await bus.call((Self.service, path, Self.location, "Setup"), Self.setup(sources, signals))
      if case .success = reply { setups[path] = nil }
    }
  }

  private static func cell(of modem: [String: BusValue]) -> String? {
    guard reportsCell(modem), let text = modem["Location"]?.map["\(cellSource)"]?.text, isCell(text) else { return nil }
    return text
  }

  /// Whether a text has a cell: `MCC,MNC,LAC,CI,TAC`, with hexadecimal numbers, which are 0 while the modem isn't registered.
  static func isCell(_ text: String) -> Bool {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard text.utf8.count <= 64, parts.count == 4 || parts.count == 5 else { return false }
    return UInt64(parts[3], radix: 16).map { $0 > 0 } ?? false
  }

  /// Passes on the cell of the first modem: with two modems, their cells would alternate.
  private func tell(_ cells: [String: String], _ problem: String?) {
    let first = cells.min { $0.key < $1.key }
    if let line = first.map({ "cells come from the modem \($0.key)" }) ?? problem { say(line) }
    guard first?.value != last else { return }
    last = first?.value
    onCell(last)
  }

  private func say(_ line: String) {
    if line != lastLine { log(line) }
    lastLine = line
  }
}
