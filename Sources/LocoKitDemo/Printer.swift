#if os(Linux) || os(macOS)
  import Foundation
  import LocoKit

  /// Prints listener calls. In a terminal, it also shows the progress below them.
  @MainActor
  final class Printer {
    private let isQuiet: Bool
    private let isLive: Bool
    private var buffer = ""
    private var shown = -1
    private var hasProgress = false

    init(isQuiet: Bool, isLive: Bool) {
      self.isQuiet = isQuiet
      self.isLive = isLive
    }

    func line(_ time: TimeInterval, _ state: LocationMachine.State, _ call: String) {
      guard !isQuiet else { return }
      let name = state.rawValue.padding(toLength: 24, withPad: " ", startingAt: 0)
      let colour: Output.Colour =
        switch state {
        case .acquiring: .green
        case .waitingSignificantChange: .cyan
        case .denied, .paused: .red
        case .initial, .prompted: .yellow
        }
      let stamp = Output.standard.coloured(time.clock, .dim)
      buffer += "\(stamp)  \(Output.standard.coloured(name, colour)) \(call)\n"
      if isLive || buffer.utf8.count > 1 << 14 { flush() }
    }

    func progress(_ percent: Int, _ time: TimeInterval, state: LocationMachine.State) {
      guard isLive || percent != shown else { return }
      shown = percent
      show("\(percent) %  \(time.clock)  \(state.rawValue)")
    }

    func status(_ time: TimeInterval, _ state: LocationMachine.State, _ text: String) {
      show("\(time.clock)  \(state.rawValue)  \(text)")
    }

    func search(tries: Int, inputs: Int) { show("try \(tries), \(inputs) inputs") }

    /// In a terminal, shows a line that the next output replaces.
    private func show(_ text: String) {
      guard Output.error.isTerminal else { return }
      flush()
      hasProgress = true
      Output.error.write("\r\u{1B}[K\(text)\r")
    }

    func end() {
      flush()
      if hasProgress { Output.error.write("\r\u{1B}[K") }
    }

    private func flush() {
      if hasProgress, !buffer.isEmpty { Output.error.write("\r\u{1B}[K") }
      hasProgress = false
      if !buffer.isEmpty { Output.standard.write(buffer) }
      buffer = ""
    }
  }
#endif
