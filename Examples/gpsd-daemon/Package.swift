// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "gpsd-daemon",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "LocoKit", path: "../..")],
  targets: [
    .executableTarget(name: "locokit-daemon", dependencies: [.product(name: "LocoKitGPSD", package: "LocoKit")])
  ],
  swiftLanguageModes: [.v6]
)
