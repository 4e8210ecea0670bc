import LocoKit

@testable import PhoneReplay

/// Changes one property of the plan.
extension ReplayProvider {
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
}
