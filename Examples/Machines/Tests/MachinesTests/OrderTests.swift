import Foundation
import LocoMachine
import Testing

@testable import Machines

/// A disk, a bank and a carrier, which survive the end of a process.
@MainActor
private final class World {
  var disk: Data?
  var charged: [UUID] = [], shipped: [UUID] = []
}

/// One launch of the app, which ends after a number of steps. Nothing that it does afterwards reaches the world.
@MainActor
private final class Launch: OrderServices {
  private let world: World
  private var stepsLeft: Int

  init(in world: World, endsAfter steps: Int = .max) { (self.world, stepsLeft) = (world, steps) }

  var isOver: Bool { stepsLeft == 0 }

  func write(_ data: Data) { step { $0.disk = data } }

  func charge(_ number: UUID) async -> Bool {
    step { if !$0.charged.contains(number) { $0.charged.append(number) } }
    step { _ in }  // The answer is on its way.
    return true
  }

  func ship(_ number: UUID) async {
    step { if !$0.shipped.contains(number) { $0.shipped.append(number) } }
    step { _ in }
  }

  private func step(_ change: (World) -> Void) {
    guard stepsLeft > 0 else { return }
    stepsLeft -= 1
    change(world)
  }
}

@Suite("Order") @MainActor
struct OrderTests {
  @Test("is charged and shipped exactly once, at whatever step the process ends", arguments: 0...7)
  func survives(steps: Int) async throws {
    let world = World()
    let first = Launch(in: world, endsAfter: steps)
    let order = try Order(restoring: nil, services: first, write: first.write)
    order.buy()
    try await order.finished()
    #expect(first.isOver)

    let second = Launch(in: world)
    let relaunched = try Order(restoring: world.disk, services: second, write: second.write)
    try await relaunched.finished()
    if relaunched.state == .open { relaunched.buy() }  // The user sees that nothing was bought.
    try await relaunched.finished()
    #expect(relaunched.state == .done)
    #expect(world.charged.count == 1 && world.shipped.count == 1)
  }

  @Test("asks no bank if the order can't be saved")
  func saveFails() throws {
    let world = World()
    let order = try Order(restoring: nil, services: Launch(in: world)) { _ in throw CocoaError(.fileWriteOutOfSpace) }
    order.buy()
    #expect(order.state == .open && order.isDiskFull)
    #expect(world.charged.isEmpty)
  }
}
