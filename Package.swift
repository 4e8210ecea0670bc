// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "LocoKit",
  platforms: [.iOS(.v16), .macOS(.v13), .watchOS(.v9), .tvOS(.v16), .visionOS(.v1)],
  products: [
    .library(name: "LocoKit", targets: ["LocoKit"]),
    .executable(name: "LocoKitDemo", targets: ["LocoKitDemo"]),
  ],
  targets: [
    .target(name: "LocoKit", resources: [.copy("PrivacyInfo.xcprivacy")]),
    .executableTarget(name: "LocoKitDemo", dependencies: ["LocoKit"], exclude: ["Report/page"]),
    .executableTarget(name: "StoreWriter", dependencies: ["LocoKit"], path: "Tests/StoreWriter"),
    .testTarget(name: "LocoKitTests", dependencies: ["LocoKit", "StoreWriter"]),
    .testTarget(name: "GPSDTests", dependencies: ["LocoKit", "LocoKitDemo"], exclude: ["receiver.py", "hostile.py"]),
    .testTarget(name: "LocoKitDemoTests", dependencies: ["LocoKit", "LocoKitDemo"]),
  ],
  swiftLanguageModes: [.v6]
)

var settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// Stand-ins for Apple's frameworks, under the same names. Only the package's own tests on Linux use them.
#if os(Linux)
  if Context.environment["LOCOKIT_STAND_INS"] == "1" {
    for framework in ["CoreLocation", "CoreMotion", "UIKit", "WatchKit", "AppKit", "IOKit"] {
      for target in package.targets where ["LocoKit", "LocoKitTests"].contains(target.name) {
        target.dependencies.append(.target(name: framework))
      }
      package.targets.append(.target(name: framework, path: "Tests/StandIns/\(framework)"))
    }
    settings.append(.define("LOCOKIT_STAND_INS"))
  }
#endif

for target in package.targets { target.swiftSettings = settings }
