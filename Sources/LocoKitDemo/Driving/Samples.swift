/// The measurements of a drive, one for each second.
struct Samples {
  /// The errors of the last location, in metres; NaN if there was none.
  var errors: [Float] = []
  /// The errors of the estimate, in metres; NaN if there was none.
  var estimateErrors: [Float] = []
  /// The time with the GPS on in each second, in seconds.
  var gpsOn: [Float] = []

  var count: Int { errors.count }
}
