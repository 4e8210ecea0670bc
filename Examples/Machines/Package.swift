// swift-tools-version: 6.2

import PackageDescription

let locoKit = ["LocoMachine", "LocoMachineGraphs"].map { Target.Dependency.product(name: $0, package: "LocoKit") }

let package = Package(
  name: "Machines",
  platforms: [.macOS(.v13), .iOS(.v16)],
  dependencies: [.package(name: "LocoKit", path: "../..")],
  targets: [
    .executableTarget(name: "Machines", dependencies: locoKit),
    .testTarget(
      name: "MachinesTests",
      dependencies: ["Machines", .product(name: "LocoMachineTesting", package: "LocoKit")] + locoKit),
  ],
  swiftLanguageModes: [.v6]
)
