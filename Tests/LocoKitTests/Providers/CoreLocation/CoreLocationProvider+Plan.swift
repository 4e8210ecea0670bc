#if canImport(CoreLocation)
  @testable import LocoKit
  @testable import TestSupport

  /// Changes one property of the plan.
  extension CoreLocationProvider {
    var isAccuracyReduced: Bool { driver.core.system.isAccuracyReduced }

    private func change(_ change: (inout ReceiverPlan) -> Void) {
      var plan = driver.core.plan
      change(&plan)
      apply(plan)
    }

    func setMode(_ mode: ReceiverMode) { change { $0.mode = mode } }
    func setAccuracy(_ accuracy: Double) { change { $0.desiredAccuracy = accuracy } }
    func setErrorBound(_ bound: Double?) { change { $0.errorBound = bound } }
    func setKeptRunning(_ isKept: Bool) { change { $0.keepsAppRunning = isKept } }
    func setTimer(_ deadline: Duration?) { change { $0.timer = deadline } }
    func setRegion(_ region: Location.Region?) {
      change {
        $0.region = region
        $0.regionNumber += 1
      }
    }
    func requestAuthorization() { perform(.authorization) }

    var sources: Sources { Sources(wakeSources, backgroundUpdates) }
  }
#endif
