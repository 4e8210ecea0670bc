#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import LocoKitDemo
  @testable import TestSupport

  @MainActor
  @Suite("The options of the command")
  struct OptionTests {
    private static let commands = LocoKitDemo.commands.map { ($0.key, $0.value) }

    @Test("A command has no option twice, and its help shows each one in lines of at most 140 characters")
    func help() {
      for (name, command) in Self.commands {
        let options = command.completions.map(\.name)
        #expect(Set(options).count == options.count, "\(name)")
        let lines = command.help.split(separator: "\n")
        for option in options + ["--help", "--version"] {
          #expect(lines.contains { $0.contains("  \(option)") || $0.contains(", \(option)") }, "\(name) \(option)")
        }
        #expect(command.completions.isEmpty || lines.allSatisfy { $0.count <= 140 }, "\(name)")
      }
    }

    @Test("Each option without its value, with one too many, or with a wrong choice is refused by its name")
    func refusals() {
      for (name, command) in Self.commands {
        for (option, completion, takesValue, _) in command.completions {
          var wrong = takesValue ? [[option]] : [["\(option)=1"]]
          if case .choices = completion { wrong.append([option, "no-such-name"]) }
          for arguments in wrong {
            do {
              _ = try command.parse(arguments[...], as: name)
              Issue.record("\(name) accepts \(arguments)")
            } catch {
              #expect((error as? Failure)?.message?.contains(option) == true, "\(name) \(arguments): \(error)")
            }
          }
        }
      }
    }

    @Test("A refusal of two options comes before a value that can't be read, and the last value of an option counts")
    func order() throws {
      #expect(throws: Failure.self) { try DriveOptions.parse(["--gpx", "a", "--route", "x"], as: "drive") }
      do { _ = try DriveOptions.parse(["--gpx", "a", "--route", "x"], as: "drive") } catch let failure as Failure {
        #expect(failure.message?.contains("choose one") == true)
      }
      let options = try #require(try DriveOptions.parse(["--seed", "3", "--seed=4", "--json"], as: "drive"))
      #expect(options.seed == 4 && options.isJSON && options.within == nil)
      let compared = try #require(try CompareOptions.parse(["--within", "100", "--within=300"], as: "compare"))
      #expect(compared.bounds == [100, 300] && compared.seeds.count == 10)
    }

    @Test(
      "A shell completes commands, options, names and files",
      arguments: [
        (["co"], ["compare", "completions"]), (["compare", "--ph"], ["--phone"]),
        (["compare", "--phone", "ba"], ["background"]), (["--fa"], ["--faults"]),
        (["diagram", "--format", "pl"], ["plantuml"]),
        (["completions", "z"], ["zsh"]), (["replay", "/etc/passw"], ["/etc/passwd"]),
        (["--gpx", "/etc/passw"], ["/etc/passwd"]), (["help", "dri"], ["drive"]), (["completions", "--h"], ["--help"]),
      ] as [([String], [String])])
    func bash(words: [String], completed: [String]) throws {
      let file = try Demo.temporaryFile("completions.bash", try Completions(shell: ["bash"]).script)
      let script =
        "source '\(file)'; COMP_WORDS=(LocoKitDemo \(words.joined(separator: " "))); COMP_CWORD=\(words.count); _LocoKitDemo; "
        + "printf '%s\\n' \"${COMPREPLY[@]}\""
      let process = Process()
      process.executableURL = URL(filePath: "/bin/bash")
      process.arguments = ["--norc", "-c", script]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(Set(output.split(separator: "\n").map(String.init)).isSuperset(of: completed))
    }

    @Test("bash completes a file whose name has spaces")
    func spaces() throws {
      let file = try Demo.temporaryFile("my ride.gpx", "")
      let prefix = String(file.dropLast("ride.gpx".count + 1))
      let script = try Demo.temporaryFile("spaces.bash", try Completions(shell: ["bash"]).script)
      for words in [["drive", "--gpx", prefix], ["replay", prefix]] {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        process.arguments = [
          "--norc", "-c",
          "source '\(script)'; COMP_WORDS=(LocoKitDemo \(quoted)); COMP_CWORD=\(words.count); _LocoKitDemo; "
            + "printf '%s\\n' \"${COMPREPLY[@]}\"",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(output.split(separator: "\n").map(String.init) == [file])
      }
    }

    @Test(
      "A number that is too small is refused",
      arguments: [["--realtime", "1e-19"], ["get", "--timeout", "1e-19"], ["get", "--timeout", "1h٣m"]])
    func tiny(arguments: [String]) throws {
      let demo = try Demo(list: arguments)
      #expect(demo.code == 64 && demo.error.contains("not '\(arguments.last ?? "")'"))
    }

    @Test("help and --help explain completions")
    func completionsHelp() throws {
      for arguments in [["help", "completions"], ["completions", "--help"]] {
        let demo = try Demo(list: arguments)
        #expect(demo.code == 0 && demo.output.contains("USAGE: LocoKitDemo completions bash | zsh | fish"))
      }
    }

    @Test(
      "track and trip that find no location exit with 75",
      arguments: [["track", "--desired", "0.001"], ["trip", "--phone", "gpsd"]])
    func noLocation(arguments: [String]) throws {
      let points = (10..<30).map { "<trkpt lat=\"34\" lon=\"-118\"><time>2026-01-01T00:00:\($0)Z</time></trkpt>" }
      let track = try Demo.temporaryFile("short.gpx", "<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>")
      let demo = try Demo(list: arguments + ["--gpx", track])
      #expect(
        demo.code == 75 && demo.error.hasSuffix("LocoKitDemo: the run ended before a location was found.\n"),
        "\(demo.error)")
    }

    @Test("A track of more than 31 days is refused")
    func longTrack() throws {
      // A pause counts as a day at most.
      let points = (0...32).map { day in
        let date = Date(timeIntervalSince1970: 86_400 * Double(day)).ISO8601Format()
        return "<trkpt lat=\"34\" lon=\"-118\"><time>\(date)</time></trkpt>"
      }
      let track = try Demo.temporaryFile("long.gpx", "<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>")
      let demo = try Demo("--gpx", track)
      #expect(
        demo.code == 65 && demo.error.contains("takes 32.0 days; a drive takes at most 31 days."), "\(demo.error)")
    }

    @Test(
      "Every shell's script has each command and option, and another shell is refused",
      arguments: Completions.Shell.allCases)
    func scripts(shell: Completions.Shell) throws {
      let script = try Completions(shell: [shell.rawValue]).script
      for (name, command) in Self.commands {
        #expect(script.contains(name))
        for option in command.completions {
          #expect(script.contains(option.name.dropFirst(2)), "\(name) \(option.name)")
        }
      }
      #expect(throws: Failure.self) { try Completions(shell: ["tcsh"]) }
      #expect(throws: Failure.self) { try Completions(shell: []) }
    }
  }
#endif
