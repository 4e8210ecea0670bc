import Foundation

/// Delays the machine's suspension until the receiver is off, with logind.
@MainActor
final class SleepWatch {
  private let bus: SystemBus
  private let log: (String) -> Void
  /// Called before the machine sleeps, with a closure to call when it may, and after it has slept.
  private let onSleep: (_ sleeps: Bool, _ done: @escaping @MainActor () -> Void) -> Void
  /// The file that delays the suspension while it is open.
  private var delay: FileHandle?

  private static let service = "org.freedesktop.login1"
  private static let path = "/org/freedesktop/login1"
  private static let manager = "org.freedesktop.login1.Manager"

  init(
    _ bus: SystemBus, log: @escaping (String) -> Void,
    onSleep: @escaping (_ sleeps: Bool, _ done: @escaping @MainActor () -> Void) -> Void
  ) {
    (self.bus, self.log, self.onSleep) = (bus, log, onSleep)
  }

  func start() throws {
    let prepare = (Self.service, Self.path, Self.manager, "PrepareForSleep")
    try bus.onSignal(prepare, first: nil) { [weak self] _, values in
      if let sleeps = values.first?.flag { self?.note(sleeps) }
    }
    // A logind that ends sends no signal after the sleep, and one that starts knows of no delay.
    try bus.onOwner(of: Self.service) { [weak self] isRunning in if isRunning { self?.note(false) } }
    takeDelay()
  }

  private func note(_ sleeps: Bool) {
    // The closure releases the delay of this suspension, not a later one.
    let held = delay
    delay = nil
    onSleep(sleeps) { try? held?.close() }
    if !sleeps { takeDelay() }
  }

  private func takeDelay() {
    let arguments: [BusValue] = [
      .text("sleep"), .text("locokit-tracker"), .text("Closing the GPS receiver"), .text("delay"),
    ]
    bus.call((Self.service, Self.path, Self.manager, "Inhibit"), arguments) { [weak self] reply in
      switch reply {
      // The descriptor in the message is closed with it.
      case .success(let values):
        guard case .descriptor(let file)? = values.first, case let own = dup(file), own >= 0 else { return }
        self?.delay = FileHandle(fileDescriptor: own, closeOnDealloc: true)
      case .failure(let error):
        self?.log("the receiver may be on when the machine sleeps: logind doesn't answer (\(error))")
      }
    }
  }
}
