import Foundation
import LocoKit
import LocoKitJournal
import LocoKitMotion
import LocoKitSimulation
import LocoKitTrips
import LocoMachine
import LocoMachineGraphs
import Testing

@testable import TestSupport

// shown: UsingAManager

// shown: SettingUpAnApp: final class Locations

// shown: KeepingAJournal

// shown: TestingYourApp: func knowsWhereACommuterIs(

// shown: TestingYourApp: final class Finder {

#if canImport(CoreLocation)
  // shown: README: func followDevice(

  // shown: SettingUpAnApp: func makeBackgroundProvider(
#endif

#if os(Linux) || os(macOS)
  // shown: RunningOnLinux
#endif

/// The machines that the README and an article show. `TestSupport` has the same machines.
enum Shown {
  // shown: README: enum Turnstile

  // shown: AMachineOfYourOwn: enum TrafficLight
}

private enum ShownDeadline: StateMachine {
  typealias State = TrafficLight.State
  typealias Event = TrafficLight.Event
  static let initialState = TrafficLight.initialState

  static func reaction(in state: State, to event: Event) -> Reaction<State, TrafficLight.Effect> {
    TrafficLight.reaction(in: state, to: event)
  }

  // shown: Deadline.swift: static func deadline(
}

@Test("The machines in the documentation are those in TestSupport")
func machines() {
  #expect(StateDiagram<Shown.Turnstile>().csv == StateDiagram<Turnstile>().csv)
  #expect(StateDiagram<Shown.TrafficLight>().mermaid == StateDiagram<TrafficLight>().mermaid)
  for state in TrafficLight.State.allCases {
    let (shown, deadline) = (ShownDeadline.deadline(in: state), TrafficLight.deadline(in: state))
    #expect(shown?.duration == deadline?.duration && shown?.input == deadline?.input)
  }
}
