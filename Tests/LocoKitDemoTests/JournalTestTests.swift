#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import TestSupport
  @testable import LocoKitDemo

  @Suite("A journal becomes a test")
  struct JournalTestTests {
    private static let day = ["drive", "--route", "day", "--within", "500"]

    private static func test(_ journal: URL, _ arguments: String...) throws -> (demo: Demo, folder: URL) {
      let folder = URL(filePath: try Demo.temporaryFile("output"))
      return (try Demo(list: ["test", journal.path] + arguments + ["--output", folder.path]), folder)
    }

    @Test("The command writes a journal and a test, and the code in Shown measures the value that the command prints")
    func written() throws {
      let journal = try JournalCutTests.recorded(Self.day)
      for (symptom, name, measured) in [
        ("error-beyond=500", "ErrorBeyond500", ErrorBeyond500Tests.measured),
        ("no-location=3600", "NoLocation3600", NoLocation3600Tests.measured),
        ("gps-longer=20", "GPSLonger20", GPSLonger120Tests.measured),
      ] {
        let (demo, folder) = try Self.test(journal, "--expecting", symptom)
        #expect(demo.code == 0 && demo.error == "", "\(demo.error)")
        let (file, test) = (folder.appending(path: "\(name).jsonl"), folder.appending(path: "\(name)Tests.swift"))
        for url in [file, test] {
          #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == 0o600)
          #expect(demo.output.contains(url.lastPathComponent))
        }
        #expect(demo.output.contains("\n               no other input can be left out\n"))
        let check = try Demo("replay", file.path, "--check")
        #expect(check.code == 0 && check.error == "", "\(check.output)\(check.error)")
        // The code in `Shown` fires the manager's own timers. A written test that does so too measures the same value. Names and limits
        // may differ.
        let largest = try measured(file)
        #expect(
          largest > (try Symptom(symptom)).limit && demo.output.contains(": \(largest.oneDecimal) "), "\(largest)")
      }
    }

    @Test(
      "The files in Shown equal the code that the command writes",
      arguments: ["error-beyond=500", "gps-longer=120", "no-location=3600", "health=permission"])
    func shown(text: String) throws {
      let symptom = try Symptom(text)
      let source = JournalTestSource(
        symptom: symptom, name: symptom.testName, hasOwnTimers: true, beginning: .zero)
      #expect(try Repository.text("Tests/LocoKitDemoTests/Shown/\(symptom.testName)Tests.swift") == source.text)
      let recorded = JournalTestSource(
        symptom: symptom, name: symptom.testName, hasOwnTimers: false, beginning: .zero
      ).text
      #expect(recorded.contains("    let player = try JournalProvider(contentsOf: file)\n"))
    }

    @Test("A journal with a health problem becomes a test that counts the reports of the problem")
    func health() throws {
      let journal = try ReplayTests.journal([
        ReplayTests.line(1, "command", #""event":"tryPrompt""#),
        ReplayTests.line(1, "authorization", #""authorization":"always""#), ReplayTests.fix(5, 0),
        ReplayTests.line(30.1, "authorization", #""authorization":"denied""#),
      ])
      let (demo, folder) = try Self.test(URL(filePath: journal), "--expecting", "health=permission")
      let test = try String(contentsOf: folder.appending(path: "HealthPermissionTests.swift"), encoding: .utf8)
      #expect(test.contains("static let beginning = Duration.milliseconds(30100)"))
      #expect(demo.code == 0 && demo.error == "", "\(demo.error)")
      #expect(demo.output.contains("shows          the manager's health has the problem 'permission'\n"))
      #expect(try HealthPermissionTests.measured(in: folder.appending(path: "HealthPermission.jsonl")) == 1)
    }

    @Test("The test doesn't measure the time before the symptom, in which locations are left out")
    func beginning() throws {
      var lines = [
        ReplayTests.line(1, "command", #""event":"tryPrompt""#),
        ReplayTests.line(1, "authorization", #""authorization":"always""#), ReplayTests.fix(5, 0),
      ]
      for time in stride(from: 1_800, through: 36_000, by: 1_800) {
        lines += [
          ReplayTests.line(Double(time), "command", #""event":"forceAcquire""#), ReplayTests.fix(Double(time) + 5, 0),
        ]
      }
      let journal = try ReplayTests.journal(lines + [ReplayTests.line(40_000, "cell", #""text":"1-2""#)])
      let (demo, folder) = try Self.test(URL(filePath: journal), "--expecting", "no-location=3600")
      #expect(demo.code == 0 && demo.output.contains(": 3995.0 s"), "\(demo.output)\(demo.error)")
      let test = try String(contentsOf: folder.appending(path: "NoLocation3600Tests.swift"), encoding: .utf8)
      #expect(test.contains("static let beginning = Duration.milliseconds(36005000)"))
    }

    @Test("A journal without the symptom is refused with a message about what it shows, and nothing is written")
    func absent() throws {
      let journal = try JournalCutTests.recorded(["drive", "--within", "500"])
      let (demo, folder) = try Self.test(journal, "--expecting", "no-location=36000")
      #expect(demo.code == 1 && demo.output == "")
      #expect(
        demo.error.contains(
          /^LocoKitDemo: the journal doesn't show that no location comes for more than 36000 s: within its launches, the largest error is [0-9.]+ m, the GPS is on for at most [1-9][0-9.]* s in one run, the longest time without a location is [1-9][0-9.]* s, and the health has no problem\.\n$/
        ), "\(demo.error)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("Files are replaced only with --force")
    func forced() throws {
      let journal = try JournalCutTests.recorded(["drive", "--within", "500"])
      let arguments = ["test", journal.path, "--expecting=gps-longer=5", "--name", "MyPhone"]
      let folder = URL(filePath: try Demo.temporaryFile("output"))
      #expect(try Demo(list: arguments + ["--output", folder.path]).code == 0)
      let test = folder.appending(path: "MyPhoneTests.swift")
      #expect(try String(contentsOf: test, encoding: .utf8).contains("struct MyPhoneTests {"))
      try "mine".write(to: test, atomically: true, encoding: .utf8)
      let again = try Demo(list: arguments + ["--output", folder.path])
      #expect(again.code == 73 && again.error.contains("MyPhone.jsonl exists: add --force to replace it."))
      #expect(try String(contentsOf: test, encoding: .utf8) == "mine")
      #expect(try Demo(list: arguments + ["--output", folder.path, "--force"]).code == 0)
      #expect(try String(contentsOf: test, encoding: .utf8) != "mine")
    }

    @Test(
      "Invalid arguments and files are refused with a short message and the right exit code",
      arguments: [
        (["test"], 64, "test needs one file of a journal"), (["test", "a"], 64, "test needs a symptom"),
        (["test", "a", "--expecting", "gps-longr=5"], 64, "did you mean 'gps-longer'?"),
        (["test", "a", "--expecting", "gps-longer"], 64, "gps-longer needs a number above 0"),
        (["test", "a", "--expecting", "error-beyond=-1"], 64, "error-beyond needs a number above 0"),
        (["test", "a", "--expecting", "no-location=nan"], 64, "no-location needs a number above 0"),
        (["test", "a", "--expecting", "health"], 64, "health needs a problem: permission, "),
        (["test", "a", "--expecting", "health=region"], 64, "did you mean 'regions'?"),
        (["test", "a", "--expecting", "helth=regions"], 64, "did you mean 'health'?"),
        (["test", "a", "--expecting", "no-location=1", "--name", "../a"], 64, "--name is a name in Swift"),
        (["test", "/nowhere", "--expecting", "no-location=1"], 66, "/nowhere: no such file"),
        (["test", "/etc/passwd", "--expecting", "no-location=1"], 65, "/etc/passwd:1: "),
        (["test", "a", "--expecting", "no-location=1", "--output", "/dev/null/a"], 73, "cannot create the folder"),
      ] as [([String], Int32, String)])
    func refusals(arguments: [String], code: Int32, reason: String) throws {
      let output = arguments.contains("--output") ? [] : ["--output", try Demo.temporaryFile("output")]
      let demo = try Demo(list: arguments + output)
      #expect(demo.code == code && demo.output == "", "\(demo.code) \(demo.output)")
      #expect(demo.error.hasPrefix("LocoKitDemo: ") && demo.error.contains(reason), "\(demo.error)")
      #expect(demo.error.count { $0 == "\n" } == (code == 64 ? 2 : 1))
    }

    @Test("The written tests compile in a package of their own, and fail with a clear message", .long)
    func compiled() throws {
      let journal = try JournalCutTests.recorded(Self.day)
      let package = URL(filePath: try Demo.temporaryFile("Package.swift")).deletingLastPathComponent()
      defer { try? FileManager.default.removeItem(at: package) }
      // An app's tests may use the Swift 5 mode, and be isolated to the main actor.
      for symptom in ["error-beyond=500", "gps-longer=20", "no-location=3600"] {
        for target in ["PhoneTests", "AppTests"] {
          let folder = package.appending(path: "Tests/\(target)").path
          let demo = try Demo("test", journal.path, "--expecting", symptom, "--output", folder)
          #expect(demo.code == 0, "\(demo.error)")
        }
      }
      let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription
        let files = ["ErrorBeyond500.jsonl", "GPSLonger20.jsonl", "NoLocation3600.jsonl"]
        let journal: [Target.Dependency] = [.product(name: "LocoKitJournal", package: "LocoKit")]
        let package = Package(
          name: "Phone", platforms: [.macOS(.v13)],
          dependencies: [.package(name: "LocoKit", path: "\(Repository.root.path)")],
          targets: [
            .testTarget(name: "PhoneTests", dependencies: journal, exclude: files),
            .testTarget(
              name: "AppTests", dependencies: journal, exclude: files,
              swiftSettings: [.swiftLanguageMode(.v5), .defaultIsolation(MainActor.self)]),
          ])

        """
      try manifest.write(to: package.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
      let output = Pipe()
      let deadline = Deadline(.seconds(1_800))
      let swift = try Program(
        ["swift", "test", "--package-path", package.path], of: URL(filePath: "/usr/bin/env"), output: output,
        error: output)
      let reader = Reader(output.fileHandleForReading.fileDescriptor)
      try Reader.readToEnd([reader], deadline)
      #expect(try swift.end(deadline) == 1)
      for message in ["the last location was ", "the GPS was on for ", "no location came for "] {
        #expect(reader.text.contains(message), "\(reader.text.suffix(3_000))")
      }
      #expect(!reader.text.contains("warning:") && reader.text.contains("with 6 tests"), "\(reader.text.suffix(3_000))")
    }
  }
#endif
