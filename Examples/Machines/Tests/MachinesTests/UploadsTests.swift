import Testing

@testable import Machines

@Suite("Upload queue") @MainActor
struct UploadsTests {
  @Test("sends three files at a time")
  func three() async throws {
    let gate = Gate()
    let queue = UploadQueue { _ in
      await gate.pass()
      return true
    }
    for number in 1...8 { queue.add("\(number)") }
    #expect(queue.names(in: .sending) == ["1", "2", "3"])
    await gate.open()
    try await queue.finished()
    #expect(queue.names(in: .done).count == 8)
  }

  @Test("holds all files without a network, and then sends the interrupted ones again")
  func pauses() async throws {
    let queue = UploadQueue { _ in true }
    for number in 1...4 { queue.add("\(number)") }
    queue.setOnline(false)
    queue.add("5")
    #expect(queue.names(in: .held).count == 5)
    queue.setOnline(true)
    #expect(queue.names(in: .sending) == ["1", "2", "3"])
    try await queue.finished()
    #expect(queue.names(in: .done).count == 5)
  }

  @Test("goes on after a refused file, and can try it again")
  func retries() async throws {
    let server = Script([false, true, true])
    let queue = UploadQueue { _ in await server.next() }
    queue.add("a")
    try await queue.finished()
    queue.add("b")
    try await queue.finished()
    #expect(queue.names(in: .failed) == ["a"] && queue.names(in: .done) == ["b"])
    queue.setOnline(false)
    queue.retry()
    #expect(queue.names(in: .held) == ["a"], "without a network, nothing is sent")
    queue.setOnline(true)
    try await queue.finished()
    #expect(queue.names(in: .done) == ["a", "b"])
  }
}
