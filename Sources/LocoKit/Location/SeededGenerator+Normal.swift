import LocoFoundation
@_spi(Benchmarks) import LocoMachine

extension SeededGenerator {
  /// Returns a normally distributed number with variance 1, by the Box–Muller transform.
  package mutating func nextNormal() -> Double {
    let unit = 0..<1.0
    let radius = (-2 * log(1 - Double.random(in: unit, using: &self))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: unit, using: &self))
  }

  /// Returns the next value of a Gauss–Markov process of variance 1, after `time`, in units of the correlation time.
  package mutating func nextValue(after value: Double, in time: Double) -> Double {
    let kept = exp(-time)
    return value * kept + (1 - kept * kept).squareRoot() * nextNormal()
  }
}
