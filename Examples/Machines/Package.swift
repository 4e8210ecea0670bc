// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Machines",
  platforms: [.macOS(.v13), .iOS(.v16)],
  dependencies: [.package(name: "LocoKit", path: "../..")],
  targets: [
    .executableTarget(name: "Machines", dependencies: ["LocoKit"]),
    .testTarget(name: "MachinesTests", dependencies: ["LocoKit", "Machines"]),
  ],
  swiftLanguageModes: [.v6]
)
