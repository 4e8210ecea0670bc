enum LocoKitVersion {
  static let current = "0.1.0"
}
