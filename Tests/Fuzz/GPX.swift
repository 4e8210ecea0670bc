import Foundation

/// Reads the input as a GPX file, then its text in several encodings. The route of a valid file must be usable.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  precondition(ftruncate(file, 0) == 0 && pwrite(file, start, count, 0) == count, "\(path) cannot be written.")
  check(try? SimulatedProvider.GPXTrack(contentsOf: URL(filePath: path)))
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  let route = check(try? SimulatedProvider.GPXTrack(data: Data("\u{FEFF}\(text)".utf8)))
  for encoding in [.utf16LittleEndian, .utf16BigEndian] as [String.Encoding] {
    let other = check(try? SimulatedProvider.GPXTrack(data: encoded("\u{FEFF}\(text)", encoding)))
    precondition(other == route, "The route in UTF-16 differs from the route in UTF-8.")
  }
  for encoding in unmarked { check(try? SimulatedProvider.GPXTrack(data: encoded(text, encoding))) }
  return 0
}

private let unmarked: [String.Encoding] = [
  .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian, .isoLatin1, .windowsCP1252,
]

@discardableResult
private func check(_ track: SimulatedProvider.GPXTrack?) -> SimulatedProvider.Route? {
  guard let route = track?.route else { return nil }
  precondition(route.duration > .zero, "The route has no duration.")
  let middle = route.position(at: route.duration.inSeconds / 2)
  precondition(
    (-90...90).contains(middle.latitude) && (-180...180).contains(middle.longitude), "A coordinate is invalid.")
  return route
}

private func encoded(_ text: String, _ encoding: String.Encoding) -> Data {
  text.data(using: encoding, allowLossyConversion: true) ?? Data()
}

private let path = NSTemporaryDirectory() + "fuzz-\(ProcessInfo.processInfo.processIdentifier).gpx"
private let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
