public import Foundation

/// What the power source uses of AppKit.
@MainActor
public final class NSApplication {
  public nonisolated static let didBecomeActiveNotification = NSNotification.Name(
    "NSApplicationDidBecomeActiveNotification")
  public nonisolated static let didResignActiveNotification = NSNotification.Name(
    "NSApplicationDidResignActiveNotification")
}
