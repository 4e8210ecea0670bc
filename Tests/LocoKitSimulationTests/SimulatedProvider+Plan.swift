import LocoKit
import LocoKitSimulation

/// Changes one property of the plan.
extension SimulatedProvider {
  private func change(_ change: (inout ReceiverPlan) -> Void) {
    var plan = plan
    change(&plan)
    apply(plan)
  }

  func setMode(_ mode: ReceiverMode) { change { $0.mode = mode } }
  func setKeptRunning(_ isKept: Bool) { change { $0.keepsAppRunning = isKept } }
  func wantCoarseFixes(from time: Duration?) { change { $0.coarseFixesFrom = time } }
  func setTimer(_ deadline: Duration?) { change { $0.timer = deadline } }
  func setRegion(_ region: Location.Region?) {
    change {
      $0.region = region
      $0.regionNumber += 1
    }
  }
  func requestAuthorization() { perform(.authorization) }
  func restartReceiver() { perform(.restart) }
}
