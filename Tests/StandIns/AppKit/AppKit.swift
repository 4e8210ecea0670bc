public import Foundation

/// A part of AppKit. Only a test imports this module.
@MainActor
public final class NSApplication {
  public nonisolated static let didBecomeActiveNotification = NSNotification.Name(
    "NSApplicationDidBecomeActiveNotification")
  public nonisolated static let didResignActiveNotification = NSNotification.Name(
    "NSApplicationDidResignActiveNotification")
}
