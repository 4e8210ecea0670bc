/// Says whether the app is in the foreground, and what the device is powered by.
public protocol PowerSource: AnyObject {
  /// The present conditions, read anew.
  var conditions: PowerPolicy.Conditions { get }
  /// Set by the controller; called when the conditions may have changed, in the isolation of its owner.
  var onChange: (() -> Void)? { get set }
}

/// Conditions that an app or a test sets itself.
public final class SettablePowerSource: PowerSource {
  /// The conditions; setting them tells the controller.
  public var conditions: PowerPolicy.Conditions {
    didSet { if conditions != oldValue { onChange?() } }
  }
  /// Set by the controller.
  public var onChange: (() -> Void)?

  /// A source with these conditions.
  public init(_ conditions: PowerPolicy.Conditions) {
    self.conditions = conditions
  }
}
