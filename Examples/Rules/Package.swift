// swift-tools-version: 6.2

import PackageDescription

let locoKit = ["LocoKit", "LocoKitTrips"].map { Target.Dependency.product(name: $0, package: "LocoKit") }

let package = Package(
  name: "Rules",
  platforms: [.macOS(.v13), .iOS(.v16)],
  dependencies: [.package(name: "LocoKit", path: "../..")],
  targets: [
    .target(name: "Rules", dependencies: locoKit),
    .testTarget(
      name: "RulesTests", dependencies: ["Rules", .product(name: "LocoKitSimulation", package: "LocoKit")] + locoKit),
  ],
  swiftLanguageModes: [.v6]
)
