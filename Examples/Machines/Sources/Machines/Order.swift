import Foundation
import LocoMachine

/// An order that is charged and then shipped. Each state is saved before its work begins.
enum OrderMachine: StateMachine {
  enum State: String, CaseIterable { case open, charging, shipping, done }
  enum Event: String, CaseIterable { case buy, charged, refused, shipped, saveFailed }
  enum Input { case buy(UUID), charged, refused, shipped, saveFailed }
  enum Effect: String { case warn }
  enum Activity: String { case charge, ship }
  static let initialState = State.open

  static func event(of input: Input) -> Event {
    switch input {
    case .buy: .buy
    case .charged: .charged
    case .refused: .refused
    case .shipped: .shipped
    case .saveFailed: .saveFailed
    }
  }

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.open, .buy): .go(.charging, [])
    case (.charging, .charged): .go(.shipping, [])
    case (.charging, .refused): .go(.open, [])
    case (.shipping, .shipped): .go(.done, [])
    case (.open, .saveFailed): .stay([.warn])
    case (.charging, .saveFailed), (.shipping, .saveFailed):
      .ignore("The next launch asks again, with the same number.")
    case (.charging, .buy), (.shipping, .buy), (.done, .buy): .ignore("The order is placed.")
    case (.done, .saveFailed): .never("No transition leaves the state.")
    case (_, .charged), (_, .refused): .never("Only a charge is answered.")
    case (_, .shipped): .never("Only a shipment is answered.")
    }
  }

  static func activities(in state: State) -> [Activity] {
    switch state {
    case .charging: [.charge]
    case .shipping: [.ship]
    case .open, .done: []
    }
  }
}

/// The services that an order needs. A number that they know already has no second effect.
protocol OrderServices: Sendable {
  func charge(_ number: UUID) async -> Bool
  func ship(_ number: UUID) async
}

/// An order that survives the end of its process at any step.
@MainActor
final class Order {
  private struct Saved: Codable {
    var order: StateSnapshot<OrderMachine>
    var number: UUID
  }

  private(set) var isDiskFull = false
  private var number: UUID?
  private let services: any OrderServices
  /// `init` creates the runner on the main actor, so a restored order continues without an event.
  private var runner: MachineRunner<OrderMachine>?

  init(restoring data: Data?, services: any OrderServices, write: @escaping (Data) throws -> Void) throws {
    let saved = try data.map { try JSONDecoder().decode(Saved.self, from: $0) }
    self.services = services
    number = saved?.number
    runner = MachineRunner(owner: self, restoring: saved?.order) { me, effect, _ in
      switch effect {
      case .warn: me.isDiskFull = true
      }
    } activities: { me, activity in
      .task { [services = me.services, number = me.number] _ in
        guard let number else { return nil }
        switch activity {
        case .charge: return await services.charge(number) ? .charged : .refused
        case .ship:
          await services.ship(number)
          return .shipped
        }
      }
    }
    runner?.save = { [weak self] snapshot, input in
      // The number of a purchase is saved with the state `charging`, before the bank sees it.
      if case .buy(let number) = input { self?.number = number }
      guard let number = self?.number else { return nil }
      do { try write(JSONEncoder().encode(Saved(order: snapshot, number: number))) } catch { return .saveFailed }
      return nil
    }
  }

  var state: OrderMachine.State? { runner?.state }
  func buy() { runner?.send(.buy(UUID())) }
  func finished() async throws { try await runner?.state { $0 == .open || $0 == .done } }
}
