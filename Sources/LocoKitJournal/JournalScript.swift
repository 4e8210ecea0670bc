package import LocoFoundation
package import LocoKit

/// The inputs of one launch of a journal, for replays that omit some of them: see ``ScriptReplay``.
///
/// Notes, recorded decisions and the release of the manager aren't in a script.
package struct JournalScript: Sendable {
  struct Item: Equatable, Sendable {
    let now: LocationCore.Now
    /// The input; `nil` if lines were lost here.
    var input: LocationCore.Input?
  }

  let start: LocationCore.Now
  private(set) var launch: JournalEntry.Launch
  private(set) var items: [Item] = []
  /// The positions of the items that handled the recorded deadlines, by deadline, or the number of items: see ``timed()``.
  var fired: [Duration: Int] = [:]
  /// The positions of the recorded timers that fired for a deadline. Each replay has its own timers instead.
  var timers: Set<Int> = []

  private init(_ launch: JournalEntry.Launch, at now: LocationCore.Now) { (self.launch, start) = (launch, now) }

  /// The number of inputs, recorded timers, and places where lines were lost.
  package var count: Int { items.count }
  /// The positions of the inputs that a replay may omit: all inputs except ``timers``.
  package var inputs: [Int] { items.indices.filter { items[$0].input != nil && !timers.contains($0) } }

  /// The launches of a journal, and the number of its lines.
  package struct Contents: Sendable {
    package private(set) var launches: [JournalScript] = []
    package private(set) var lines = 0

    /// Reads a file, or all files of a journal's folder.
    package init(of url: URL) throws(FileFailure) {
      var reader = try JournalReader(contentsOf: url)
      try self.init(&reader)
      // The provider's error explains what is missing.
      if launches.isEmpty { _ = try JournalProvider(contentsOf: url) }
    }

    init(_ reader: inout JournalReader) throws(FileFailure) {
      while let entry = try reader.next() {
        lines += 1
        let item: Item
        switch entry.what {
        case .launch(let launch):
          launches.append(JournalScript(launch, at: entry.now))
          continue
        case .input(let input) where input != .release: item = Item(now: entry.now, input: input)
        case .lost: item = Item(now: entry.now, input: nil)
        case .input, .continues, .decisions, .note: continue
        }
        // Lines before the first launch can't be replayed.
        if !launches.isEmpty { launches[launches.count - 1].items.append(item) }
      }
    }
  }

  /// Returns a script with the first items only.
  package func prefix(_ count: Int) -> JournalScript {
    var script = self
    script.items = Array(items.prefix(count))
    return script
  }

  /// Returns the script with its places blurred and moved, as in a disguised journal, and without the texts of failures.
  ///
  /// Blurs the places before it moves them, as a recording does: otherwise the grid of the receivers' coordinates would
  /// reveal true north and the latitude (see ``Blur``). A second blur is harmless if the journal is blurred already.
  package func moved(using random: inout some RandomNumberGenerator) -> JournalScript {
    let blur = Blur(key: random.next())
    let disguise = places.first(where: \.hasValidCoordinate).map { PlaceObfuscation(around: $0, using: &random) }
    func moved(_ place: Location) -> Location {
      let blurred = blur.blurred(place, isOnSphere: false)
      return disguise?.disguised(blurred) ?? PlaceObfuscation.nowhere(blurred)
    }
    var script = self
    var cells = CellNumbers()
    let first = JournalEntry(now: start, what: .launch(launch)).hidden(&cells, moved)
    if case .launch(let launch) = first.what { script.launch = launch }
    for (position, item) in items.enumerated() {
      guard let input = item.input else { continue }
      let entry = JournalEntry(now: item.now, what: .input(input)).hidden(&cells, moved)
      if case .input(let input) = entry.what { script.items[position].input = input }
      if case .report(.failure(.other)) = input { script.items[position].input = .report(.failure(.other(""))) }
    }
    return script
  }

  /// All places of the script.
  package var places: [Location] {
    var places = launch.location.map { [$0] } ?? []
    for case .report(let report)? in items.map(\.input) {
      _ = report.mapPlaces { place in
        places.append(place)
        return place
      }
    }
    return places
  }

  /// Returns the script with the positions where the recorded timers fired.
  ///
  /// A replay that omits inputs sets other timers than the recording. With the recorded timers, the GPS would stay on if a replay contains
  /// the input that turned it on and omits the timer that turned it off. So each replay fires the timers that its own manager sets. A timer
  /// whose deadline was recorded fires when it fired in the recording, which may be late. Any other timer fires at its deadline,
  /// except while the app is asleep, where the next input handles the deadline.
  package func timed() -> JournalScript {
    var script = self
    (script.fired, script.timers) = ([:], [])
    let provider = JournalProvider(launch, at: start)
    let manager = LocationManager(provider: provider, store: provider.store)
    defer { withExtendedLifetime(manager) {} }
    for (position, item) in items.enumerated() {
      guard let input = item.input else { continue }
      let deadline = provider.plan.timer.flatMap { $0 <= item.now.uptime + Self.tolerance ? $0 : nil }
      if input == .report(.wake(.timer)), deadline != nil { script.timers.insert(position) }
      _ = provider.play(input, at: item.now)
      // Another input can handle a deadline before its timer fires.
      if let deadline, input == .report(.wake(.timer)) || provider.plan.timer != deadline {
        script.fired[deadline] = position
      }
    }
    // The timer of an app that was suspended and then killed never fired.
    if let deadline = provider.plan.timer, let last = items.last, deadline <= last.now.uptime {
      script.fired[deadline] = items.count
    }
    return script
  }

  /// Deadlines are computed from places, so moving the places changes the last digits of the deadlines.
  private static let tolerance = Duration.milliseconds(1)
}
