// swift-tools-version: 6.1

import PackageDescription

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "LocoKit") }
let simulation = product("LocoKitSimulation")

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
      dependencies: [.product(name: "Benchmark", package: "benchmark"), simulation, "Rivals", "Workload"],
      path: "Benchmarks/LocoKitBenchmarks",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    .executableTarget(name: "Fleet", dependencies: [simulation, "Workload"]),
    .executableTarget(name: "Instructions", dependencies: [product("LocoKitJournal"), "Workload"]),
    .target(name: "Workload", dependencies: [product("LocoKit"), product("LocoKitJournal"), simulation]),
    .target(name: "Rivals"),
    .target(name: "AllocationCounter"),
    .testTarget(name: "BenchmarksTests", dependencies: [simulation, "AllocationCounter", "Rivals", "Workload"]),
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
