#if os(Linux) || os(macOS)
  import LocoKit
  @testable import LocoKitGPSD

  extension GPSDProvider {
    func setMode(_ mode: ReceiverMode) {
      var plan = plan
      plan.mode = mode
      apply(plan)
    }
  }

  extension GPSDCore.Input {
    /// A plan with a mode, and nothing else.
    static func mode(_ mode: ReceiverMode) -> Self {
      var plan = ReceiverPlan()
      plan.mode = mode
      return .plan(plan)
    }
  }
#endif
