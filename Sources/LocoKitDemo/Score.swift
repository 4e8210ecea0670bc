#if os(Linux) || os(macOS)
  import LocoKit

  /// What a drive was like, a value a second.
  struct Samples {
    /// How far the last location was from the device, metres; not a number where there was none.
    var errors: [Float] = []
    /// How far the estimate was from the device, metres; not a number where there was none.
    var estimateErrors: [Float] = []
    /// For how long of the second the GPS was on, seconds.
    var gpsOn: [Float] = []

    var count: Int { errors.count }
  }

  /// What drives came to, their seconds pooled.
  struct Score {
    /// For how long the devices were driven, seconds.
    private(set) var seconds = 0.0
    /// For how long the GPS was on, seconds.
    private(set) var gpsOn = 0.0
    /// For how long the devices dwelled, seconds.
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
    /// How far off the last location was: the median and the 95th percentile over all the time, metres.
    var error: Spread? { Spread(errors) }
    /// The same over the time under way.
    var errorUnderWay: Spread? { Spread(errorsUnderWay) }
    /// How far off the estimate was under way, metres.
    var estimateError: Spread? { Spread(estimateErrors) }

    /// The middle of some values, and what 95 % of them are below.
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
#endif
