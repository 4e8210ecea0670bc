// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Nearby",
  platforms: [.iOS(.v16), .macOS(.v13)],
  dependencies: [.package(url: "https://example.com/LocoKit.git", branch: "main")],
  targets: [
    .target(name: "Nearby", dependencies: [.product(name: "LocoKit", package: "LocoKit")]),
    .testTarget(
      name: "NearbyTests", dependencies: ["Nearby", .product(name: "LocoKitSimulation", package: "LocoKit")]),
  ]
)
