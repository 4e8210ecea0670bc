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
  /// The cells by the paths of their modems.
  private var cells: [String: String] = [:]
  /// The setups of the modems before the tracker's, by path.
  private var setups: [String: (sources: UInt32, signals: Bool)] = [:]
  private var last: String?
  private var lastLine = ""

  private static let service = "org.freedesktop.ModemManager1"
  private static let root = "/org/freedesktop/ModemManager1"
  private static let objects = "org.freedesktop.DBus.ObjectManager"
  private static let modem = "org.freedesktop.ModemManager1.Modem"
  private static let location = "org.freedesktop.ModemManager1.Modem.Location"
  /// `MM_MODEM_STATE_ENABLED`.
  private static let enabled = 6.0
  /// `MM_MODEM_LOCATION_SOURCE_3GPP_LAC_CI`.
  private static let cellSource: UInt32 = 1

  init(_ bus: SystemBus, log: @escaping (String) -> Void, onCell: @escaping (String?) -> Void) {
    (self.bus, self.log, self.onCell) = (bus, log, onCell)
  }

  /// - Throws: A ``Problem`` if the bus accepts no watches.
  func start() throws {
    let daemon = "org.freedesktop.DBus"
    let owner = (daemon, "/org/freedesktop/DBus", daemon, "NameOwnerChanged")
    try bus.onSignal(owner, first: Self.service) { [weak self] _, values in
      guard let self, values.count == 3 else { return }
      if values[2].text?.isEmpty == false {
        find()
      } else {
        setups = [:]
        forget(nil, "ModemManager has stopped; no cells until it runs again")
      }
    }
    let added = (Self.service, Self.root, Self.objects, "InterfacesAdded")
    try bus.onSignal(added, first: nil) { [weak self] _, _ in self?.find() }
    let removed = (Self.service, Self.root, Self.objects, "InterfacesRemoved")
    try bus.onSignal(removed, first: nil) { [weak self] _, values in
      guard let self, let path = values.first?.text else { return }
      setups[path] = nil
      if cells[path] != nil { forget(path, "the modem \(path) is gone; no cells until one returns") }
    }
    // A modem refuses the setup until it is enabled, which NetworkManager may do later.
    try bus.onSignal((Self.service, "", Self.modem, "StateChanged"), first: nil) { [weak self] path, values in
      guard let self, values.count == 3, let state = values[1].number, state >= Self.enabled, cells[path] == nil else {
        return
      }
      find()
    }
    let changed = (Self.service, "", "org.freedesktop.DBus.Properties", "PropertiesChanged")
    try bus.onSignal(changed, first: Self.location) { [weak self] path, values in
      if values.count >= 2, let location = values[1].map["Location"] { self?.note(location, of: path) }
    }
    find()
  }

  /// Asks all modems for their cells.
  private func find() {
    bus.call((Self.service, Self.root, Self.objects, "GetManagedObjects"), []) { [weak self] reply in
      guard let self else { return }
      switch reply {
      case .failure(let error):
        forget(nil, "no cells: ModemManager doesn't answer (\(error)); the GPS checks for movement instead")
      case .success(let values):
        let modems = (values.first?.map ?? [:]).filter { $0.value.map[Self.location] != nil }
        if modems.isEmpty { forget(nil, "no cells: ModemManager has no modem; the GPS checks for movement instead") }
        for (path, interfaces) in modems { setUp(path, interfaces.map[Self.location]?.map ?? [:]) }
      }
    }
  }

  /// Turns on the reports of the cell, besides the sources that other programs use.
  private func setUp(_ path: String, _ properties: [String: BusValue]) {
    let enabled = properties["Enabled"]?.number.flatMap(UInt32.init(exactly:)) ?? 0
    let old = setups[path] ?? (enabled, properties["SignalsLocation"]?.flag ?? false)
    setUp(path, sources: enabled | Self.cellSource, signals: true) { [weak self] reply in
      guard let self else { return }
      if case .failure(let error) = reply {
        return forget(path, "no cells: ModemManager refuses them (\(error)); see the README, What it talks to")
      }
      setups[path] = old
      let get: [BusValue] = [.text(Self.location), .text("Location")]
      bus.call((Self.service, path, "org.freedesktop.DBus.Properties", "Get"), get) { [weak self] reply in
        if case .success(let values) = reply, let location = values.first { self?.note(location, of: path) }
      }
    }
  }

  private func setUp(
    _ path: String, sources: UInt32, signals: Bool, reply: @escaping @MainActor (Result<[BusValue], Problem>) -> Void
  ) {
    let arguments = [BusValue.number(Double(sources)), .flag(signals)]
    bus.call((Self.service, path, Self.location, "Setup"), arguments, reply: reply)
  }

  /// Restores the modems' setups, so that no cell stays readable on the bus. Waits for the replies, because ModemManager asks polkit about a
  /// caller that must then still be connected.
  func end() async {
    for (path, setup) in setups {
      await withCheckedContinuation { done in
        setUp(path, sources: setup.sources, signals: setup.signals) { _ in done.resume() }
      }
    }
    setups = [:]
  }

  private func note(_ location: BusValue, of path: String) {
    guard case .text(let text)? = location.map["\(Self.cellSource)"], Self.isCell(text) else {
      return forget(path, nil)
    }
    cells[path] = text
    tell()
  }

  /// Whether a text has a cell: `MCC,MNC,LAC,CI,TAC`, with hexadecimal numbers, which are 0 while the modem isn't registered.
  static func isCell(_ text: String) -> Bool {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard text.utf8.count <= 64, parts.count == 4 || parts.count == 5 else { return false }
    return UInt64(parts[3], radix: 16).map { $0 > 0 } ?? false
  }

  private func forget(_ path: String?, _ line: String?) {
    if let path { cells[path] = nil } else { cells = [:] }
    if let line { say(line) }
    tell()
  }

  /// Passes on the cell of the first modem: with two modems, their cells would alternate.
  private func tell() {
    let first = cells.min { $0.key < $1.key }
    if let first { say("cells come from the modem \(first.key)") }
    guard first?.value != last else { return }
    last = first?.value
    onCell(last)
  }

  private func say(_ line: String) {
    if line != lastLine { log(line) }
    lastLine = line
  }
}
