#if os(Linux) || os(macOS)
  import LocoKit
  import LocoKitSimulation

  /// A policy that decides when a device looks.
  struct ComparedPolicy {
    let title: String
    var bound: Double?
    var phone = Phone.background
    var target = LocationManager.BoundTarget.lastLocation
    var trigger = SimulatedProvider.Trigger.apple
    var period: Duration?

    /// Returns the policies without a bound on one phone, bounds of the last location on every phone, and bounds of the estimate on gpsd.
    static func all(_ bounds: [Double], on phone: Phone) -> [ComparedPolicy] {
      [
        ComparedPolicy(title: "Loco, Apple's rule", phone: phone),
        ComparedPolicy(title: "Loco, any cell", phone: phone, trigger: .cell),
        ComparedPolicy(title: "every 60 s", phone: phone, period: .seconds(60)),
        ComparedPolicy(title: "every 300 s", phone: phone, period: .seconds(300)),
      ]
        + bounds.flatMap { bound in
          Phone.allCases.map {
            let name = "within \(bound.metres)"
            return ComparedPolicy(title: $0 == phone ? name : "\(name), \($0.rawValue)", bound: bound, phone: $0)
          } + [
            ComparedPolicy(
              title: "within \(bound.metres), gpsd, the estimate", bound: bound, phone: .gpsd, target: .estimate)
          ]
        }
    }

    func setup(_ seed: UInt64, hotStart: Duration?) -> Setup {
      var configuration = phone.configuration(hasBound: bound != nil)
      configuration.trigger = trigger
      if let hotStart { configuration.receiver.hotStart = hotStart }
      // Timers start the looks of a fixed interval, so the app is kept running.
      if period != nil {
        configuration.wakeSources = [.timer]
        configuration.backgroundUpdates = .never
      }
      return Setup(seed: seed, phone: phone, configuration: configuration, bound: bound, target: target, period: period)
    }
  }
#endif
