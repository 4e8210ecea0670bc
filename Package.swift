// swift-tools-version: 6.2

import PackageDescription

// The privacy manifest is for Apple's platforms. Elsewhere, the accessor that SwiftPM generates for a resource would import all of
// Foundation.
#if canImport(Darwin)
  let (privacyManifest, excluded): ([Resource], [String]) = ([.copy("PrivacyInfo.xcprivacy")], [])
#else
  let (privacyManifest, excluded): ([Resource], [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

let package = Package(
  name: "LocoKit",
  platforms: [.iOS(.v16), .macOS(.v13), .watchOS(.v9), .tvOS(.v16), .visionOS(.v1)],
  products: [
    .library(name: "LocoMachine", targets: ["LocoMachine"]),
    .library(name: "LocoMachineGraphs", targets: ["LocoMachineGraphs"]),
    .library(name: "LocoMachineTesting", targets: ["LocoMachineTesting"]),
    .library(name: "LocoKit", targets: ["LocoKit"]),
    .library(name: "LocoKitMotion", targets: ["LocoKitMotion"]),
    .library(name: "LocoKitFormatting", targets: ["LocoKitFormatting"]),
    .library(name: "LocoKitTrips", targets: ["LocoKitTrips"]),
    .library(name: "LocoKitJournal", targets: ["LocoKitJournal"]),
    .library(name: "LocoKitGPSD", targets: ["LocoKitGPSD"]),
    .library(name: "LocoKitSimulation", targets: ["LocoKitSimulation"]),
    .executable(name: "LocoKitDemo", targets: ["LocoKitDemo"]),
  ],
  targets: [
    // The engine for any state machine, without Foundation.
    .target(name: "LocoMachine", exclude: ["README.md"]),
    // The diagrams, graphs and walks of a machine, for its documents and tests, without Foundation.
    .target(name: "LocoMachineGraphs", dependencies: ["LocoMachine"], exclude: ["Page"]),
    // The clock that a test advances, without Foundation.
    .target(name: "LocoMachineTesting", dependencies: ["LocoMachine"]),
    // Re-exports the C library, and FoundationEssentials where that module exists, otherwise Foundation.
    .target(name: "LocoFoundation"),
    // Files that survive a kill, a full disk and a power loss.
    .target(name: "LocoDurable", dependencies: ["LocoMachine", "LocoFoundation"]),
    // The location manager, Core Location's provider, the store of the last location and the power controller. Re-exports LocoMachine.
    .target(
      name: "LocoKit", dependencies: ["LocoMachine", "LocoFoundation", "LocoDurable"], exclude: excluded,
      resources: privacyManifest),
    // The motion sensor of iOS, for Core Location's provider.
    .target(name: "LocoKitMotion", dependencies: ["LocoKit", "LocoFoundation"]),
    // Locations as text for users. Imports all of Foundation.
    .target(name: "LocoKitFormatting", dependencies: ["LocoKit"]),
    // Trips that the app or the recorder begins, and the history of locations.
    .target(name: "LocoKitTrips", dependencies: ["LocoKit", "LocoFoundation", "LocoDurable"]),
    // Records what a device did, and replays the recording.
    .target(name: "LocoKitJournal", dependencies: ["LocoKit", "LocoFoundation", "LocoDurable"]),
    // GPS receivers on Linux and macOS, through gpsd.
    .target(name: "LocoKitGPSD", dependencies: ["LocoKit", "LocoFoundation", "LocoDurable"]),
    // The simulated device, routes and GPX, for tests. Re-exports LocoMachineTesting.
    .target(name: "LocoKitSimulation", dependencies: ["LocoKit", "LocoMachineTesting", "LocoFoundation"]),

    .executableTarget(
      name: "LocoKitDemo",
      dependencies: [
        "LocoDurable", "LocoMachineGraphs", "LocoKit", "LocoKitTrips", "LocoKitJournal", "LocoKitGPSD",
        "LocoKitSimulation", "LocoKitFormatting",
      ],
      exclude: ["Report/page"]),

    .target(name: "TestSupport", dependencies: ["LocoKit", "LocoMachineGraphs"], path: "Tests/TestSupport"),
    .executableTarget(
      name: "StoreWriter", dependencies: ["LocoKitTrips", "LocoKitJournal", "LocoKitSimulation"],
      path: "Tests/StoreWriter"),
    // These tests also analyze the library's machines.
    .testTarget(
      name: "LocoMachineTests",
      dependencies: ["LocoMachineTesting", "LocoKitTrips", "LocoKitGPSD", "LocoKitSimulation", "TestSupport"]),
    .testTarget(name: "LocoDurableTests", dependencies: ["LocoDurable", "TestSupport"]),
    .testTarget(
      name: "LocoKitTests",
      dependencies: [
        "LocoKitMotion", "LocoKitSimulation", "LocoKitTrips", "LocoKitJournal", "TestSupport", "StoreWriter",
      ]),
    .testTarget(name: "LocoKitFormattingTests", dependencies: ["LocoKitFormatting"]),
    .testTarget(
      name: "LocoKitTripsTests", dependencies: ["LocoKitTrips", "LocoKitSimulation", "TestSupport", "StoreWriter"]),
    .testTarget(
      name: "LocoKitJournalTests", dependencies: ["LocoKitJournal", "LocoKitSimulation", "TestSupport", "StoreWriter"]),
    .testTarget(name: "LocoKitGPSDTests", dependencies: ["LocoKitGPSD", "LocoKitDemo", "TestSupport"]),
    .testTarget(
      name: "LocoKitSimulationTests", dependencies: ["LocoKitSimulation", "LocoKitTrips", "TestSupport"]),
    .testTarget(
      name: "LocoKitDemoTests", dependencies: ["LocoKitDemo", "TestSupport"],
      exclude: [
        "Shown/ErrorBeyond500.jsonl", "Shown/GPSLonger120.jsonl", "Shown/HealthPermission.jsonl",
        "Shown/NoLocation3600.jsonl",
      ]),
    // Tests with a real gpsd, if it is installed.
    .testTarget(
      name: "GPSDTests", dependencies: ["LocoKitDemo", "TestSupport"], exclude: ["receiver.py", "hostile.py"]),
    // Tests the README, the articles, the examples in comments, and the architecture.
    .testTarget(
      name: "DocumentationTests", dependencies: ["LocoMachineTesting", "LocoKitDemo", "LocoKitMotion", "TestSupport"],
      exclude: ["Shown"],
      plugins: ["ShownCodePlugin"]),
    // Inserts the code of the README, the articles and the comments into copies of the files of `DocumentationTests/Shown`.
    .executableTarget(name: "ShownCode", path: "Tests/ShownCode/Tool"),
    .plugin(
      name: "ShownCodePlugin", capability: .buildTool(), dependencies: ["ShownCode"], path: "Tests/ShownCode/Plugin"),
  ],
  swiftLanguageModes: [.v6]
)

var settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// Stand-ins for Apple's frameworks, under the same names. Only the package's own checks on Linux use them, without the other tests.
#if os(Linux)
  if Context.environment["LOCOKIT_STAND_INS"] == "1" {
    let users = ["LocoKit", "LocoKitMotion", "LocoKitTests", "DocumentationTests"]
    package.targets.removeAll { $0.type == .test && !users.contains($0.name) }
    for framework in ["CoreLocation", "CoreMotion", "UIKit", "WatchKit", "AppKit", "IOKit"] {
      for target in package.targets where users.contains(target.name) {
        target.dependencies.append(.target(name: framework))
      }
      package.targets.append(.target(name: framework, path: "Tests/StandIns/\(framework)"))
    }
    settings.append(.define("LOCOKIT_STAND_INS"))
  }
#endif

for target in package.targets where target.type != .plugin { target.swiftSettings = settings }
