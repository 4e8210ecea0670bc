/// Which of the fixes somebody is given who tracks.
///
/// One that is accurate enough, and as far as the distance filter from the last one given, or nearer and at least twice as accurate.
/// A distance filter saves no power: the receiver is on all the same.
struct TrackFilter: Hashable, Sendable {
  /// What is wanted of the receiver.
  let settings: ReceiverSettings
  private(set) var last: Location?

  /// A filter that has let nothing pass yet.
  init(_ settings: ReceiverSettings) {
    settings.check()
    self.settings = settings
  }

  /// Whether a fix passes; if so it is the one from which the next distance counts.
  mutating func passes(_ fix: Location) -> Bool {
    guard fix.horizontalAccuracy <= settings.desiredAccuracy else { return false }
    if let last, last.distance(to: fix) < settings.distanceFilter, fix.horizontalAccuracy > last.horizontalAccuracy / 2
    {
      return false
    }
    last = fix
    return true
  }
}
