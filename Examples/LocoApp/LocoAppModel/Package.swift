// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "LocoAppModel",
  platforms: [.iOS(.v17), .macOS(.v14)],
  products: [.library(name: "LocoAppModel", targets: ["LocoAppModel"])],
  dependencies: [.package(name: "LocoKit", path: "../../..")],
  targets: [
    .target(name: "LocoAppModel", dependencies: ["LocoKit"]),
    .testTarget(name: "LocoAppModelTests", dependencies: ["LocoAppModel"]),
  ],
  swiftLanguageModes: [.v6]
)
