#if os(Linux)
  import Foundation

  extension PowerController {
    /// Linux: what the kernel says of chargers and batteries in `/sys/class/power_supply`.
    ///
    /// A daemon is never seen, so it is in the background. A machine without a battery has power from outside. The kernel tells
    /// of no change here, so the files are read whenever the controller looks.
    public final class SystemSource: PowerController.Source {
      /// Set by the controller; nothing calls it.
      public var onChange: (() -> Void)?
      private let folder: URL
      private static let longestFile = 256
      private static let mostSupplies = 64

      /// The system's.
      public convenience init() {
        self.init(folder: URL(filePath: "/sys/class/power_supply"))
      }

      init(folder: URL) { self.folder = folder }

      /// What the files say now.
      public var conditions: PowerController.Policy.Conditions {
        PowerController.Policy.Conditions(isInForeground: false, power: power)
      }

      private var power: PowerController.Policy.Power {
        let supplies = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        var levels: [Double] = []
        var isCharging = false
        for supply in supplies.sorted(by: { $0.path < $1.path }).prefix(Self.mostSupplies) {
          // A mouse's battery is not the machine's.
          if read(supply, "scope") == "Device" { continue }
          if read(supply, "type") == "Battery" {
            let level = read(supply, "capacity").flatMap(Double.init).map { min(max($0, 0), 100) / 100 }
            levels.append(level ?? .nan)
            isCharging = isCharging || ["Charging", "Full", "Not charging"].contains(read(supply, "status"))
          } else if read(supply, "online") == "1" {
            return .external
          }
        }
        guard !levels.isEmpty, !isCharging else { return .external }
        return .battery(level: levels.filter { !$0.isNaN }.min())
      }

      private func read(_ supply: URL, _ name: String) -> String? {
        guard let file = try? FileHandle(forReadingFrom: supply.appending(path: name)) else { return nil }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: Self.longestFile) else { return nil }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      }
    }
  }
#endif
