import LocoKit

struct Crossing {
  private static let table = TransitionTable<TrafficLight>()
  private(set) var light: StateSnapshot<TrafficLight>
  private(set) var beeps = 0

  /// A crossing as it was left: from a file, say, that holds the state's name and the time.
  init(_ light: StateSnapshot<TrafficLight>) {
    self.light = light
  }

  /// Does what was due until now and then what the event does, if there is one; answers when to call again.
  mutating func run(_ event: TrafficLight.Event? = nil, at now: Duration) -> Duration? {
    while let step = Self.table.expire(&light, at: now) { perform(step) }
    if let event { perform(Self.table.advance(&light, on: event, at: now)) }
    return Self.table.due(in: light)?.time
  }

  private mutating func perform(_ step: TransitionTable<TrafficLight>.Step) {
    for effect in Self.table.effects(of: step) where effect == .beep { beeps += 1 }
  }
}
