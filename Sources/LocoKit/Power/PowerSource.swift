#if os(Linux)
  import LocoDurable
  import LocoFoundation
#endif

extension PowerController {
  /// A source of the app's foreground state and the device's power.
  ///
  /// ```swift
  /// let source = PowerController.Source(.init(isInForeground: true, power: .battery(level: 0.8)))
  /// let controller = PowerController(manager, source: source)
  /// source.conditions.isInForeground = false    // the manager may sleep
  /// ```
  ///
  /// An app uses `PowerController.Source.app(isInForeground:)`, and a daemon on Linux `PowerController.Source.system`.
  public final class Source {
    /// The current conditions. A change notifies the controller. Setting them ends the reading from the system.
    public var conditions: Policy.Conditions {
      get { read() }
      set {
        let isChanged = newValue != read()
        read = { newValue }
        if isChanged { onChange?() }
      }
    }

    /// The controller sets it.
    var onChange: (() -> Void)?
    private var read: () -> Policy.Conditions

    /// Creates a source whose conditions the app sets.
    public convenience init(_ conditions: Policy.Conditions) { self.init(reading: { conditions }) }

    /// Creates a source that reads the conditions whenever the controller asks for them.
    init(reading read: @escaping () -> Policy.Conditions) { self.read = read }

    #if os(Linux)
      /// A source that reads chargers and batteries from `/sys/class/power_supply`.
      ///
      /// The app counts as in the background, and a machine without a battery as plugged in. The kernel reports no changes, so the
      /// controller reads the files with each location and once a minute.
      public static var system: Source { system(in: URL(filePath: "/sys/class/power_supply")) }

      static func system(in folder: URL) -> Source {
        Source(reading: { Policy.Conditions(isInForeground: false, power: power(in: folder)) })
      }

      private static func power(in folder: URL) -> Policy.Power {
        let supplies = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        var levels: [Double?] = []
        var isCharging = false
        for supply in supplies.sorted().prefix(64).map({ folder.appending(path: $0) }) {
          // The battery of a device such as a mouse isn't the machine's.
          if read(supply, "scope") == "Device" { continue }
          if read(supply, "type") == "Battery" {
            let percent = read(supply, "capacity").flatMap(Double.init)
            levels.append(percent.flatMap { $0.isNaN ? nil : min(max($0, 0), 100) / 100 })
            isCharging = isCharging || ["Charging", "Full", "Not charging"].contains(read(supply, "status"))
          } else if read(supply, "online") == "1" {
            return .external
          }
        }
        return levels.isEmpty || isCharging ? .external : .battery(level: levels.compactMap(\.self).min())
      }

      private static func read(_ supply: URL, _ name: String) -> String? {
        let file = PrivateFile(path: supply.appending(path: name).path(percentEncoded: false))
        guard let data = try? file.contents(atMost: 256) else { return nil }
        return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
      }
    #endif
  }
}

@available(*, unavailable)
extension PowerController.Source: Sendable {}
