import Foundation

/// The files of this repository.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
  /// The folder of recordings and references beside the repository. It may be missing.
  static let shared = root.appending(path: "../shared").standardized

  /// The libraries that apps depend on.
  static let products = [
    "LocoMachine", "LocoMachineGraphs", "LocoMachineTesting", "LocoKit", "LocoKitMotion", "LocoKitFormatting",
    "LocoKitTrips", "LocoKitJournal", "LocoKitGPSD", "LocoKitSimulation",
  ]
  /// The targets of the libraries.
  static let modules = products + ["LocoFoundation", "LocoDurable"]

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
