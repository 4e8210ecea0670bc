// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "LocoAppModel",
  platforms: [.iOS(.v17), .macOS(.v14)],
  products: [.library(name: "LocoAppModel", targets: ["LocoAppModel"])],
  dependencies: [.package(name: "LocoKit", path: "../../..")],
  targets: [
    .target(
      name: "LocoAppModel",
      dependencies: ["LocoKit", "LocoKitJournal"].map { .product(name: $0, package: "LocoKit") }),
    .testTarget(
      name: "LocoAppModelTests",
      dependencies: ["LocoAppModel", .product(name: "LocoKitSimulation", package: "LocoKit")]),
  ],
  swiftLanguageModes: [.v6]
)
