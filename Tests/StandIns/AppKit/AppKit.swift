public import Foundation

/// The part of AppKit that the power source uses.
@MainActor
public final class NSApplication {
  public nonisolated static let didBecomeActiveNotification = NSNotification.Name(
    "NSApplicationDidBecomeActiveNotification")
  public nonisolated static let didResignActiveNotification = NSNotification.Name(
    "NSApplicationDidResignActiveNotification")
}
