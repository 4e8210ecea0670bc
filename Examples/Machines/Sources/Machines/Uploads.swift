import LocoMachine

/// One file of an upload queue. The queue has a machine for each file.
enum UploadMachine: StateMachine {
  enum State: String, CaseIterable { case queued, sending, held, done, failed }
  enum Event: String, CaseIterable { case slotIsFree, networkLost, networkBack, sent, refused, retry }
  enum Effect: String { case fillSlots }
  enum Activity: String { case transfer }
  static let initialState = State.queued

  static func reaction(in state: State, to event: Event) -> Reaction<State, Effect> {
    switch (state, event) {
    case (.queued, .slotIsFree): .go(.sending, [])
    case (.sending, .sent): .go(.done, [.fillSlots])
    case (.sending, .refused): .go(.failed, [.fillSlots])
    case (.queued, .networkLost), (.sending, .networkLost): .go(.held, [])
    case (.held, .networkBack): .go(.queued, [.fillSlots])
    case (.failed, .retry): .go(.queued, [.fillSlots])
    case (_, .retry): .ignore("The upload didn't fail.")
    case (_, .networkLost), (_, .networkBack): .ignore("Nothing changes for this file.")
    case (_, .slotIsFree): .never("Only a file in the queue gets a slot.")
    case (_, .sent), (_, .refused): .never("Only a transfer ends.")
    }
  }

  static func activities(in state: State) -> [Activity] { state == .sending ? [.transfer] : [] }
}

/// A queue with three parallel uploads. Without a network it holds all files; later it sends the interrupted ones again.
@MainActor
final class UploadQueue {
  private struct File {
    let name: String
    let runner: MachineRunner<UploadMachine>
  }

  private var files: [File] = []
  private var isOnline = true
  private let transfer: @Sendable (String) async -> Bool

  init(transfer: @escaping @Sendable (String) async -> Bool) { self.transfer = transfer }

  func names(in state: UploadMachine.State) -> [String] { files.filter { $0.runner.state == state }.map(\.name) }

  func add(_ name: String) {
    let runner = MachineRunner<UploadMachine>(owner: self) { me, _, _ in
      me.fillSlots()
    } activities: { me, _ in
      .task { [transfer = me.transfer] _ in await transfer(name) ? .sent : .refused }
    }
    files.append(File(name: name, runner: runner))
    if isOnline { fillSlots() } else { runner.send(.networkLost) }
  }

  /// Tells the queue whether there is a network.
  func setOnline(_ online: Bool) {
    isOnline = online
    for file in files { file.runner.send(online ? .networkBack : .networkLost) }
  }

  func retry() {
    for file in files { file.runner.send(.retry) }
    if !isOnline { setOnline(false) }
  }

  /// Waits until each file is sent or failed.
  func finished() async throws {
    for file in files { try await file.runner.state { $0 == .done || $0 == .failed } }
  }

  private func fillSlots() {
    guard isOnline else { return }
    let free = 3 - names(in: .sending).count
    for file in files.filter({ $0.runner.state == .queued }).prefix(max(0, free)) { file.runner.send(.slotIsFree) }
  }
}
