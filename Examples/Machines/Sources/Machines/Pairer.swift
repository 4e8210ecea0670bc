import LocoMachine

/// Runs a pairing on the main actor, and continues it after a relaunch.
@MainActor
final class Pairer {
  /// The values to restore after a relaunch: the state, the time when it was entered, and the device.
  struct Saved: Codable {
    let snapshot: StateSnapshot<Pairing>
    let device: String
  }

  private(set) var device: String
  private(set) var runner: MachineRunner<Pairing>?

  init(_ bluetooth: any Bluetooth, restoring saved: Saved? = nil, clock: some Clock<Duration> = ContinuousClock()) {
    device = saved?.device ?? ""
    runner = MachineRunner(owner: self, restoring: saved?.snapshot, clock: clock) { me, _, input in
      if case .found(let device) = input { me.device = device }
    } activities: { me, activity in
      .task { [device = me.device] _ in
        do {
          switch activity {
          case .scan: return .found(device: try await bluetooth.scan())
          case .connect1, .connect2, .connect3: try await bluetooth.connect(to: device)
          case .verify: try await bluetooth.verify(device)
          }
          return activity == .verify ? .verified : .connected
        } catch { return .lost }
      }
    }
  }

  var saved: Saved? { runner.map { Saved(snapshot: $0.snapshot, device: device) } }
}
