#if os(Linux)
  import LocoDurable
  import LocoFoundation
  package import LocoKit

  extension GPSDProvider: HostProvider {
    /// Returns the state of the machine's battery.
    package func readBattery() -> LocationManager.BatteryStatus? { .ofMachine() }
  }

  extension LocationManager.BatteryStatus {
    /// Reads the machine's chargers and batteries. A machine without a battery counts as full.
    static func ofMachine(in folder: URL = URL(filePath: "/sys/class/power_supply")) -> Self {
      let supplies = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      var levels: [Double?] = []
      var (isCharging, isPlugged) = (false, false)
      for supply in supplies.sorted().prefix(64).map({ folder.appending(path: $0) }) {
        // The battery of a device such as a mouse isn't the machine's.
        if read(supply, "scope") == "Device" { continue }
        if read(supply, "type") == "Battery" {
          let percent = read(supply, "capacity").flatMap(Double.init)
          levels.append(percent.flatMap { $0.isNaN ? nil : min(max($0, 0), 100) / 100 })
          isCharging = isCharging || ["Charging", "Full", "Not charging"].contains(read(supply, "status"))
        } else if read(supply, "online") == "1" {
          isPlugged = true
        }
      }
      let level = levels.compactMap(\.self).min()
      if levels.isEmpty { return Self(level: nil, state: .full) }
      return Self(level: level, state: isCharging || isPlugged ? .charging : .unplugged)
    }

    private static func read(_ supply: URL, _ name: String) -> String? {
      let file = PrivateFile(path: supply.appending(path: name).path(percentEncoded: false))
      guard let data = try? file.contents(atMost: 256) else { return nil }
      return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }
#endif
