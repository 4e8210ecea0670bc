import Testing

@testable import LocoKit

@Suite("Examples of gpsd's reader")
final class GPSDReaderExamples {
  private var printed: [String] = []

  private func print(_ item: Any) { printed.append("\(item)") }

  private func read(_ bytes: [UInt8]) {
    var reader = GPSDReader()
    for output in reader.read(bytes) {
      if case .report(.fix(let fix)) = output { print(fix.mode) }
    }
  }

  @Test("A fix is printed with its mode")
  func mode() {
    read(Array("{\"class\":\"TPV\",\"mode\":3,\"lat\":34,\"lon\":-118}\n{\"class\":\"SKY\"}\n".utf8))
    #expect(printed.count == 1)
  }
}
