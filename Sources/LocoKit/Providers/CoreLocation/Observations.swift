#if os(iOS) || os(macOS) || os(visionOS) || os(watchOS) || LOCOKIT_STAND_INS
  import LocoFoundation

  /// Observers of notifications. Deinitialization removes the observers.
  final class Observations {
    private var tokens: [any NSObjectProtocol] = []

    deinit {
      for token in tokens { NotificationCenter.default.removeObserver(token) }
    }

    func observe(_ name: Notification.Name, _ call: @escaping @MainActor @Sendable () -> Void) {
      tokens.append(
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
          // A notification may arrive on any thread.
          Task { @MainActor in call() }
        })
    }
  }
#endif
