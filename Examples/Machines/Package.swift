// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Machines",
  platforms: [.macOS(.v13), .iOS(.v16)],
  dependencies: [.package(name: "LocoKit", path: "../..")],
  targets: [
    .executableTarget(name: "Machines", dependencies: [.product(name: "LocoMachine", package: "LocoKit")]),
    .testTarget(name: "MachinesTests", dependencies: ["Machines", .product(name: "LocoMachine", package: "LocoKit")]),
  ],
  swiftLanguageModes: [.v6]
)
