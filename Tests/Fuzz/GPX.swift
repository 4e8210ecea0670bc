import Foundation

/// Reads a GPX file. If it is valid, its route can be driven.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  precondition(ftruncate(file, 0) == 0 && pwrite(file, start, count, 0) == count, "\(path) cannot be written.")
  guard let track = try? SimulatedProvider.GPXTrack(contentsOf: URL(filePath: path)) else { return 0 }
  let route = track.route
  precondition(route.duration > .zero, "A route without a duration.")
  let middle = route.position(at: route.duration.inSeconds / 2)
  precondition(
    (-90...90).contains(middle.latitude) && (-180...180).contains(middle.longitude), "An invalid coordinate.")
  return 0
}

private let path = NSTemporaryDirectory() + "fuzz-\(ProcessInfo.processInfo.processIdentifier).gpx"
private let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
