// swift-tools-version: 6.1

import PackageDescription

let locoKit = Target.Dependency.product(name: "LocoKit", package: "LocoKit")

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(name: "LocoKit", path: ".."),
    // No traits: the package's allocation counter needs more packages, and AllocationCounter replaces it.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "LocoKitBenchmarks",
      dependencies: [.product(name: "Benchmark", package: "benchmark"), locoKit, "Rivals", "Workload"],
      path: "Benchmarks/LocoKitBenchmarks",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    .executableTarget(name: "Fleet", dependencies: [locoKit, "Workload"]),
    .executableTarget(name: "Instructions", dependencies: [locoKit, "Workload"]),
    .target(name: "Workload", dependencies: [locoKit]),
    .target(name: "Rivals"),
    .target(name: "AllocationCounter"),
    .testTarget(name: "BenchmarksTests", dependencies: [locoKit, "AllocationCounter", "Rivals", "Workload"]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

for target in package.targets where target.type != .plugin && !["Rivals", "AllocationCounter"].contains(target.name) {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
