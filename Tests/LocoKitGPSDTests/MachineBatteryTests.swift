#if os(Linux)
  import Foundation
  import LocoKit
  import Testing

  @testable import LocoKitGPSD

  @Suite("Power supplies on Linux")
  struct MachineBatteryTests {
    private func power(_ supplies: [String: [String: String]]) throws -> LocationManager.BatteryStatus {
      let folder = FileManager.default.temporaryDirectory.appending(path: "power-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      for (name, files) in supplies {
        let supply = folder.appending(path: name)
        try FileManager.default.createDirectory(at: supply, withIntermediateDirectories: true)
        for (file, text) in files { try Data("\(text)\n".utf8).write(to: supply.appending(path: file)) }
      }
      return .ofMachine(in: folder)
    }

    @Test("The level and the state are those of the machine's chargers and batteries")
    func supplies() throws {
      let battery = ["type": "Battery", "status": "Discharging", "capacity": "64"]
      #expect(try power([:]) == .init(level: nil, state: .full), "a machine without a battery")
      #expect(try power(["BAT0": battery]) == .init(level: 0.64, state: .unplugged))
      #expect(
        try power(["BAT0": battery, "AC": ["type": "Mains", "online": "0"]]) == .init(level: 0.64, state: .unplugged))
      #expect(
        try power(["BAT0": battery, "AC": ["type": "Mains", "online": "1"]]) == .init(level: 0.64, state: .charging))
      #expect(
        try power(["BAT0": battery, "usb": ["type": "USB", "online": "1"]]) == .init(level: 0.64, state: .charging))
      for status in ["Charging", "Full", "Not charging"] {
        #expect(
          try power(["BAT0": ["type": "Battery", "status": status, "capacity": "9"]])
            == .init(level: 0.09, state: .charging))
      }
      #expect(
        try power(["BAT0": battery, "BAT1": ["type": "Battery", "status": "Discharging", "capacity": "20"]])
          == .init(level: 0.2, state: .unplugged))
    }

    @Test("A mouse's battery doesn't count, and a level that isn't a number is unknown")
    func damaged() throws {
      #expect(
        try power(["hid": ["type": "Battery", "scope": "Device", "status": "Discharging", "capacity": "5"]])
          == .init(level: nil, state: .full))
      #expect(
        try power(["BAT0": ["type": "Battery", "status": "Unknown", "capacity": "much"]])
          == .init(level: nil, state: .unplugged))
      #expect(try power(["BAT0": ["type": "Battery", "capacity": "700"]]) == .init(level: 1, state: .unplugged))
      #expect(
        try power(["BAT0": ["type": "Battery", "status": String(repeating: "x", count: 100_000)]])
          == .init(level: nil, state: .unplugged))
    }
  }
#endif
