import LocoKit

/// The figures of several drives, with their seconds pooled.
struct Score {
  /// The duration of the drives, in seconds.
  private(set) var seconds = 0.0
  /// The time with the GPS on, in seconds.
  private(set) var gpsOn = 0.0
  /// The dwelling time, in seconds.
  private(set) var dwelled = 0.0
  private var gpsOnDwelling = 0.0
  private var located = 0.0
  private var errors: [Float] = []
  private var errorsUnderWay: [Float] = []
  private var estimateErrors: [Float] = []

  /// Adds a drive.
  mutating func add(_ samples: Samples, along truth: GroundTruth) {
    for second in 0..<samples.count {
      let (error, on) = (samples.errors[second], Double(samples.gpsOn[second]))
      seconds += 1
      gpsOn += on
      if !error.isNaN { located += 1 }
      let isUnderWay = truth.isUnderWay[second]
      if !isUnderWay {
        dwelled += 1
        gpsOnDwelling += on
      }
      guard truth.isKnown[second] else { continue }
      if !error.isNaN {
        errors.append(error)
        if isUnderWay { errorsUnderWay.append(error) }
      }
      let estimateError = samples.estimateErrors[second]
      if isUnderWay, !estimateError.isNaN { estimateErrors.append(estimateError) }
    }
  }

  /// The share of the time with the GPS on.
  var gpsOnShare: Double? { seconds > 0 ? gpsOn / seconds : nil }
  /// The share of the dwelling time with the GPS on.
  var dwellGPSOnShare: Double? { dwelled > 0 ? gpsOnDwelling / dwelled : nil }
  /// The share of the time with a last location.
  var coverage: Double? { seconds > 0 ? located / seconds : nil }
  /// The error of the last location, both dwelling and under way, in metres.
  var error: Spread? { Spread(errors) }
  /// The error of the last location while under way, in metres.
  var errorUnderWay: Spread? { Spread(errorsUnderWay) }
  /// Returns the share of the time under way with an error of at most a bound in metres, 0…1.
  ///
  /// - Parameter target: What the bound applies to.
  func shareUnderWay(within bound: Double, of target: LocationManager.BoundTarget) -> Double? {
    let errors = target == .estimate ? estimateErrors : errorsUnderWay
    return errors.isEmpty ? nil : Double(errors.count { Double($0) <= bound }) / Double(errors.count)
  }
  /// The error of the estimate while under way, in metres.
  var estimateError: Spread? { Spread(estimateErrors) }

  /// The median and the 95th percentile.
  struct Spread {
    let median: Double
    let p95: Double

    init?(_ values: [Float]) {
      guard !values.isEmpty else { return nil }
      let sorted = values.sorted()
      median = Double(sorted[sorted.count / 2])
      p95 = Double(sorted[min(sorted.count - 1, sorted.count * 95 / 100)])
    }
  }
}
