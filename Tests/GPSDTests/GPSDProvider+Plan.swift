#if os(Linux) || os(macOS)
  import LocoKit
  import LocoKitGPSD

  extension GPSDProvider {
    func setMode(_ mode: ReceiverMode) {
      var plan = plan
      plan.mode = mode
      apply(plan)
    }
  }
#endif
