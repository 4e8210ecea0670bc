// The test below is the one that the page of the machines copies after the link #light,turnOn,turnOn,button,+31,button,turnOff:
// `.ci/diagrams` compares them.

import LocoMachine
import Testing

@testable import TestSupport

@Test("TrafficLight takes the steps that were played")
func playedSteps() {
  let table = TransitionTable<TrafficLight>()
  var state = TrafficLight.initialState
  let steps: [(TrafficLight.Event, TrafficLight.State, [String])] = [
    (.turnOn, .red, []),
    (.turnOn, .red, []),
    (.button, .red, ["beep"]),
    (.timeOver, .green, []),
    (.button, .amber, ["beep"]),
    (.turnOff, .flashing, []),
  ]
  for (event, next, effects) in steps {
    let step = table.advance(&state, on: event)
    #expect(state == next)
    #expect(table.effects(of: step).map(TrafficLight.name(ofEffect:)) == effects)
  }
}
