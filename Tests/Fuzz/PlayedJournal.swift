import Foundation

/// Reads the input as a journal, writes its lines and reads them again, and replays it with the recorded policy and bound, then with those
/// that the first byte selects.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  play(bytes)
  // A damaged line ends a replay, so the valid lines are also replayed without the damaged ones.
  var whole: [UInt8] = []
  var hasLaunch = false
  for line in bytes.split(separator: UInt8(ascii: "\n")) {
    guard let entry = try? JournalEntry(line) else { continue }
    guard let written = try? entry.bytes, let again = try? JournalEntry(written.dropLast()) else {
      preconditionFailure("A written line is unreadable.")
    }
    precondition((try? again.bytes) == written, "A line changes when it is read and written.")
    hasLaunch = hasLaunch || entry.isLaunch
    whole += written
  }
  if !hasLaunch { whole = launch + whole }
  play(whole)
  let first = bytes.first ?? 0
  play(
    whole,
    instead: JournalProvider.Alternative(
      policy: first % 2 == 0 ? nil : .standaloneReceiver,
      bound: first % 3 == 0 ? .asRecorded : first % 3 == 1 ? .absent : .metres(100 + Double(first) * 10)))
  return 0
}

private let launch: [UInt8] = {
  let launch = JournalEntry.Launch(
    platform: "", authorization: .always, wakeSources: Set(WakeKind.allCases), backgroundUpdates: .never, policy: .loco,
    location: nil, isPaused: false)
  let now = LocationCore.Now(uptime: .zero, date: Date(timeIntervalSinceReferenceDate: 0))
  return (try? JournalEntry(now: now, what: .launch(launch)).bytes) ?? []
}()

private func play(_ bytes: [UInt8], instead alternative: JournalProvider.Alternative? = nil) {
  guard let player = try? JournalProvider(JournalReader(bytes), instead: alternative) else { return }
  var manager = LocationManager(provider: player, store: player.store)
  player.onRelaunch = { manager = LocationManager(provider: player, store: player.store) }
  // These closures retain the player.
  defer { (player.onRelaunch, player.onPlay) = (nil, nil) }
  player.onPlay = { _ in
    precondition(manager.estimate.map { $0.latitude.isFinite } ?? true, "The latitude of the estimate isn't finite.")
  }
  var elapsed = player.elapsed
  while (try? player.step()) == true {
    precondition(player.elapsed >= elapsed, "The time decreases.")
    elapsed = player.elapsed
  }
  precondition(player.receiverOnTime <= player.recordedTime, "The GPS was on for longer than the recording.")
  precondition(player.receiverOnTime >= .zero, "The GPS was on for a negative time.")
  precondition((0...1).contains(player.progress), "The progress isn't in 0...1.")
}
