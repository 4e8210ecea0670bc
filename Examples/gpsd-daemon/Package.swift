// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "gpsd-daemon",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "LocoKit", path: "../..")],
  targets: [
    .executableTarget(
      name: "locokit-daemon",
      dependencies: ["LocoKitGPSD", "LocoKitJournal"].map { .product(name: $0, package: "LocoKit") })
  ],
  swiftLanguageModes: [.v6]
)
