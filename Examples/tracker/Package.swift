// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "tracker",
  dependencies: [.package(name: "LocoKit", path: "../..")],
  targets: [
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .executableTarget(
      name: "locokit-tracker",
      dependencies: ["CSystemd"]
        + ["LocoKitGPSD", "LocoKitJournal", "LocoKitTrips"].map { .product(name: $0, package: "LocoKit") },
      path: "Sources/tracker", swiftSettings: [.treatAllWarnings(as: .error)]),
    .testTarget(name: "TrackerTests", dependencies: ["locokit-tracker"]),
  ],
  swiftLanguageModes: [.v6]
)
