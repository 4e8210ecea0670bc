/// Reads the input as gpsd's output, as a whole and in pieces whose sizes come from the input. Both results must be equal.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  var whole = GPSDReader()
  let outputs = whole.read(bytes)
  var reader = GPSDReader()
  var inPieces: [Result<GPSDReport, GPSDReader.Problem>] = []
  var rest = bytes[...]
  while let first = rest.first {
    let piece = rest.prefix(Int(first) % 64 + 1)
    inPieces += reader.read(piece)
    rest = rest.dropFirst(piece.count)
  }
  precondition(inPieces == outputs, "The same bytes, read in pieces, give other outputs.")
  var fixes = GPSDFixAssembler()
  var locations: [Location?] = []
  for case .success(let report) in outputs { locations.append(fixes.add(report)) }
  locations.append(fixes.end())
  for case let location? in locations {
    precondition(location.horizontalAccuracy == -1 || location.horizontalAccuracy > 0, "An accuracy is invalid.")
    precondition(location.speed.map { $0 >= 0 } ?? true, "A speed is negative.")
  }
  return 0
}
