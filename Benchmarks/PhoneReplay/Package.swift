// swift-tools-version: 6.1

import PackageDescription

let locoKit = ["LocoMachine", "LocoKit", "LocoKitTrips", "LocoKitSimulation"].map {
  Target.Dependency.product(name: $0, package: "LocoKit")
}

let package = Package(
  name: "PhoneReplay",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "LocoKit", path: "../..")],
  targets: [
    .target(name: "PhoneReplay", dependencies: locoKit),
    .executableTarget(name: "phone-replay", dependencies: ["PhoneReplay"]),
    .testTarget(name: "PhoneReplayTests", dependencies: ["PhoneReplay"] + locoKit),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
