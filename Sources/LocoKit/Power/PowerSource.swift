extension PowerController {
  /// Says whether the app is in the foreground, and what the device is powered by.
  ///
  /// ```swift
  /// final class Ignition: PowerController.Source {
  ///   var onChange: (() -> Void)?
  ///   var isOn = false { didSet { onChange?() } }
  ///   var conditions: PowerController.Policy.Conditions {
  ///     .init(isInForeground: false, power: isOn ? .external : .battery(level: nil))
  ///   }
  /// }
  /// ```
  public protocol Source: AnyObject {
    /// The present conditions, read anew.
    var conditions: PowerController.Policy.Conditions { get }
    /// Set by the controller; called when the conditions may have changed, in the isolation of its owner.
    var onChange: (() -> Void)? { get set }
  }
}

extension PowerController {
  /// Conditions that an app or a test sets itself.
  ///
  /// ```swift
  /// let source = PowerController.SettableSource(.init(isInForeground: true, power: .battery(level: 0.8)))
  /// let controller = PowerController(manager, source: source)
  /// source.conditions.isInForeground = false    // the manager may sleep
  /// ```
  public final class SettableSource: PowerController.Source {
    /// The conditions; setting them tells the controller.
    public var conditions: PowerController.Policy.Conditions {
      didSet { if conditions != oldValue { onChange?() } }
    }
    /// Set by the controller.
    public var onChange: (() -> Void)?

    /// A source with these conditions.
    public init(_ conditions: PowerController.Policy.Conditions) {
      self.conditions = conditions
    }
  }
}
