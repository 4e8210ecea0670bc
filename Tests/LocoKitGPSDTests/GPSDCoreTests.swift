#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import LocoKit
  @testable import LocoKitGPSD
  @testable import TestSupport

  /// The core in each state, on each event. The expected actions are written by hand, not read from the machine's table.
  @Suite("GPSDCore", .covers(GPSDMachine.self))
  struct GPSDCoreTests {
    typealias Action = GPSDCore.Action
    typealias Connection = GPSDProvider.Connection

    @Test("each event in each state has the expected actions", arguments: Cell.all)
    func cell(_ cell: Cell) {
      var scene = cell.scene
      #expect(scene.core.state == cell.state)
      #expect(scene.core.plan.mode == cell.mode)
      let turn = scene.handle(cell.input, after: 100)
      #expect(turn.handled == cell.handled)
      #expect(turn.settled == cell.settled)
      #expect(scene.core.state == cell.next)
    }

    @Test("the cells cover each event in each state")
    func complete() {
      let tested = Cell.all.map { "\($0.state) \($0.event)" }
      let pairs = GPSDMachine.State.allCases.flatMap { state in
        GPSDMachine.Event.allCases.map { "\(state) \($0)" }
      }
      #expect(Set(tested).count == tested.count)
      #expect(Set(tested) == Set(pairs))
    }

    // MARK: - Deadlines

    @Test("a connection attempt fails after 30 seconds")
    func connectingEnds() {
      var scene = Scene.connecting
      #expect(scene.handle(.timer, after: 29_999) == Turn(settled: [.setTimer(.seconds(30))]))
      let reason = "gpsd at localhost:2947 does not answer"
      #expect(
        scene.handle(.timer, after: 1)
          == Turn(
            settled: [.disconnect] + told(.failed(reason: reason)) + [
              failure(reason), .setTimer(.milliseconds(30_500)),
            ]
          ))
    }

    @Test(
      "a greeting fails after 5 seconds if the version or the list of receivers is missing",
      arguments: [Scene.greeting, .identified])
    func greetingEnds(_ scene: Scene) {
      var scene = scene
      #expect(scene.handle(.timer, at: 6_999) == Turn(settled: [.setTimer(.seconds(7))]))
      let reason = "gpsd at localhost:2947 does not send its version and receivers"
      #expect(
        scene.handle(.timer, at: 7_000)
          == Turn(
            settled: [.disconnect] + told(.failed(reason: reason)) + [failure(reason), .setTimer(.milliseconds(7_500))]
          ))
    }

    @Test("the next attempt begins after the back-off, if the receiver is wanted")
    func backOffEnds() {
      var scene = Scene.backingOff
      #expect(scene.handle(.timer, after: 499) == Turn(settled: [.setTimer(.milliseconds(3_500))]))
      let connect = [.connect] + told(.connecting)
      #expect(scene.handle(.timer, after: 1) == Turn(settled: connect + [.setTimer(.milliseconds(33_500))]))
      scene = .backingOffUnwanted
      #expect(scene.handle(.timer, at: 303_099) == Turn(settled: [.setTimer(.milliseconds(303_100))]))
      // A check begins. The back-off has ended by then, so the timer is due immediately.
      #expect(scene.handle(.timer, at: 303_100) == Turn(settled: [.setTimer(.milliseconds(3_500))]))
      #expect(scene.handle(.timer, at: 303_100) == Turn(settled: connect + [.setTimer(.milliseconds(333_100))]))
    }

    @Test(
      "the back-off doubles with each failure up to 30 s, plus a random part of up to half of it",
      arguments: [(0, 1), (0.5, 1.25), (1 - 1e-9, 1.5)])
    func backOff(_ chance: Double, _ factor: Double) throws {
      var scene = Scene.connecting
      scene.chance = chance
      for base in [0.5, 1, 2, 4, 8, 16, 30, 30] {
        scene.handle(.lost(reason: "gone"), after: 0)
        let wait = try #require(scene.core.phase.end) - scene.uptime
        #expect(abs(wait.inSeconds - base * factor) < 1e-6)
        scene.handle(.timer, after: Int(base * factor * 1_000) + 1)
        #expect(scene.core.state == .connecting)
      }
    }

    @Test(
      "After a connection that lasted ten seconds, the back-off begins anew, and after a shorter one it goes on",
      arguments: [9_000, 11_000])
    func usefulConnection(_ milliseconds: Int) throws {
      var scene = Scene.connecting
      for wait in [500, 1_000, 2_000] {
        scene.handle(.lost(reason: "gone"), after: 0)
        #expect(scene.core.phase.end == scene.uptime + .milliseconds(wait))
        scene.handle(.timer, after: wait)
      }
      scene.handle(.connected, after: 0)
      scene.handle(Cell.version, after: 0)
      scene.handle(Cell.devices, after: 0)
      scene.handle(.lost(reason: "gone"), after: milliseconds)
      #expect(scene.core.phase.end == scene.uptime + .milliseconds(milliseconds > 10_000 ? 500 : 4_000))
    }

    // MARK: - Failures

    @Test("a failure is counted and reported once, whatever the lost connection still sends")
    func failsOnce() {
      var scene = Scene.greeting
      let reason = "gpsd at localhost:2947 speaks version 4 of its protocol, not 3"
      let version = GPSDCore.Input.report(.version(protocolMajor: 4))
      #expect(
        scene.handle(version, after: 100)
          == Turn(
            handled: [.disconnect] + told(.failed(reason: reason)) + [failure(reason)],
            settled: [.setTimer(.milliseconds(2_600))]))
      #expect(scene.handle(version, after: 100) == Turn())
      #expect(scene.handle(.lost(reason: "gone"), after: 100) == Turn())
      #expect(scene.core.phase.connection == .failed(reason: reason))
    }

    @Test("gpsd counts as gone at the first timeout ten seconds or more after an unanswered request")
    func silent() {
      var scene = Scene.watching
      let ask = Action.send("?WATCH={\"enable\":true,\"json\":true};\n")
      #expect(scene.handle(.timer, at: 9_000) == Turn(settled: [ask, .setTimer(.milliseconds(13_500))]))
      #expect(scene.handle(.timer, at: 13_500) == Turn(settled: [ask, .setTimer(.milliseconds(18_500))]))
      let reason = "gpsd at localhost:2947 has fallen silent"
      // The connection lasted more than ten seconds, so the back-off starts with the shortest delay.
      #expect(
        scene.handle(.timer, at: 18_500)
          == Turn(
            settled: [.disconnect] + told(.failed(reason: reason)) + [failure(reason), .setTimer(.seconds(19))]))
    }

    @Test("a silent gpsd counts as gone even if the receiver is turned off and on during the silence")
    func silentThroughModes() {
      var scene = Scene.watching
      scene.handle(.mode(.significantChanges), at: 9_000)
      scene.handle(.mode(.gps), at: 10_000)
      scene.handle(.timer, at: 15_000)
      #expect(scene.core.phase.connection == .failed(reason: "gpsd at localhost:2947 has fallen silent"))
    }

    // MARK: - The greeting

    @Test("the receivers are requested once, and a list before the version isn't a greeting")
    func greetsOnce() {
      var scene = Scene.greeting
      #expect(scene.handle(Cell.devices, after: 100) == Turn())
      #expect(scene.handle(Cell.version, after: 100) == Turn(handled: [.send("?DEVICES;\n")]))
      #expect(scene.handle(Cell.version, after: 100) == Turn())
      #expect(scene.core.state == .greeting)
      scene.handle(Cell.devices, after: 100)
      #expect(scene.core.state == .watching)
    }

    @Test("stop ends the watch, then closes the receiver, then the connection")
    func stops() {
      var scene = Scene(controlSocket: "/run/gpsd.sock").watched
      #expect(
        scene.handle(.stop, after: 100)
          == Turn(
            handled: [.send("?WATCH={\"enable\":false};\n")] + told(.open)
              + [.closeReceiversNow(["/dev/ttyUSB0"]), .disconnect] + told(.closed)))
      #expect(scene.core.state == .closed)
    }
  }

  // MARK: - Cells

  extension GPSDCoreTests {
    /// A pair of a state and an event: an input that raises the event, and the expected actions.
    struct Cell: CustomTestStringConvertible {
      let state: GPSDMachine.State
      let event: GPSDMachine.Event
      let scene: Scene
      var mode: ReceiverMode { scene.mode }
      let input: GPSDCore.Input
      /// The actions of the input.
      var handled: [Action] = []
      /// The actions of `settle` afterwards: for deadlines that have passed, and for the demand for the receiver.
      var settled: [Action] = []
      /// The state after the turn, if it changes.
      private var target: GPSDMachine.State?

      var next: GPSDMachine.State { target ?? state }
      var testDescription: String { "\(event) in \(state)" }

      init(
        _ state: GPSDMachine.State, _ event: GPSDMachine.Event, _ scene: Scene, _ input: GPSDCore.Input,
        handled: [Action] = [], settled: [Action] = [], next: GPSDMachine.State? = nil
      ) {
        (self.state, self.event, self.scene, self.input) = (state, event, scene, input)
        (self.handled, self.settled, target) = (handled, settled, next)
      }

      static let all = closed + connecting + greeting + idle + watching + withoutReceiver + backingOff

      static let version = GPSDCore.Input.report(.version(protocolMajor: 3))
      static let devices = GPSDCore.Input.report(.devices([.init(path: "/dev/ttyUSB0")]))
      static let noDevices = GPSDCore.Input.report(.devices([]))
      static let fix = GPSDCore.Input.report(
        .fix(
          .init(
            device: "/dev/ttyUSB0", mode: .threeDimensional, time: Date(timeIntervalSince1970: 0), latitude: 34,
            longitude: -118, horizontalError: 17.3)))
      static let lost = GPSDCore.Input.lost(reason: "gone")
      static let hasFailed = [.disconnect] + told(.failed(reason: "gone"))
      static let watch = Action.send("?WATCH={\"enable\":true,\"json\":true};\n")
      static let unwatch = Action.send("?WATCH={\"enable\":false};\n")
      static let missing = told(.withoutReceiver) + [failure(Connection.withoutReceiver.description)]
      static let release = [.disconnect] + told(.closed) + [.setTimer(nil)]
      static let end = [unwatch] + told(.open) + release

      static let closed = [
        Cell(
          .closed, .receiverWanted, .notRunning, .began,
          settled: [.connect] + told(.connecting) + [timer(30_100)], next: .connecting),
        Cell(.closed, .receiverUnwanted, .asleep, .timer, settled: [timer(300_000)]),
        Cell(.closed, .released, .off, .timer),
        Cell(.closed, .connected, .asleep, .connected),
        Cell(.closed, .identified, .asleep, version),
        Cell(.closed, .greeted, .asleep, devices),
        Cell(.closed, .failed, .asleep, lost),
        Cell(.closed, .retryDue, Scene(), .mode(.gps)),
        Cell(.closed, .receiverFound, .asleep, fix),
        Cell(.closed, .receiverMissing, .asleep, noDevices),
        Cell(.closed, .receiversReopened, .asleep, .receiversReopened),
      ]

      static let connecting = [
        Cell(.connecting, .receiverWanted, .connecting, .timer, settled: [timer(30_000)]),
        Cell(.connecting, .receiverUnwanted, .connectingUnwanted, .timer, settled: [timer(30_000)]),
        Cell(.connecting, .released, .connecting, .mode(.off), settled: release, next: .closed),
        Cell(.connecting, .connected, .connecting, .connected, settled: [timer(5_100)], next: .greeting),
        Cell(.connecting, .identified, .connecting, version),
        Cell(.connecting, .greeted, .connecting, devices),
        Cell(
          .connecting, .failed, .connecting, lost, handled: hasFailed + [failure("gone")], settled: [timer(600)],
          next: .backingOff),
        Cell(.connecting, .retryDue, .connectingUnwanted, .mode(.gps)),
        Cell(.connecting, .receiverFound, .connecting, fix),
        Cell(.connecting, .receiverMissing, .connecting, noDevices),
        Cell(.connecting, .receiversReopened, .connecting, .receiversReopened),
      ]

      static let greeting = [
        Cell(.greeting, .receiverWanted, .greeting, .timer, settled: [timer(7_000)]),
        Cell(.greeting, .receiverUnwanted, .greetingUnwanted, .timer, settled: [timer(7_000)]),
        Cell(.greeting, .released, .greeting, .mode(.off), settled: release, next: .closed),
        Cell(.greeting, .connected, .greeting, .connected),
        Cell(.greeting, .identified, .greeting, version, handled: [.send("?DEVICES;\n")]),
        Cell(
          .greeting, .greeted, .identifiedUnwanted, devices, handled: told(.open), settled: [timer(301_000)],
          next: .idle),
        Cell(
          .greeting, .failed, .greeting, lost, handled: hasFailed + [failure("gone")], settled: [timer(2_600)],
          next: .backingOff),
        Cell(.greeting, .retryDue, .greetingUnwanted, .mode(.gps)),
        Cell(.greeting, .receiverFound, .identified, fix),
        Cell(.greeting, .receiverMissing, .greeting, noDevices),
        Cell(.greeting, .receiversReopened, .greeting, .receiversReopened),
      ]

      static let idle = [
        Cell(
          .idle, .receiverWanted, .idle, .mode(.gps), settled: [watch] + told(.watching) + [timer(9_100)],
          next: .watching),
        Cell(.idle, .receiverUnwanted, .idle, .timer, settled: [timer(301_000)]),
        Cell(.idle, .released, .idle, .mode(.off), settled: release, next: .closed),
        Cell(.idle, .connected, .idle, .connected),
        Cell(.idle, .identified, .idle, version),
        Cell(.idle, .greeted, .idle, devices),
        Cell(.idle, .failed, .idle, lost, handled: [.disconnect] + told(.closed), next: .closed),
        // A new acquisition raises `retryDue`, which is ignored. The demand for the receiver then begins the watch.
        Cell(
          .idle, .retryDue, .idle, .mode(.gps), handled: [], settled: [watch] + told(.watching) + [timer(9_100)],
          next: .watching),
        Cell(.idle, .receiverFound, .idle, fix),
        Cell(.idle, .receiverMissing, .idle, noDevices),
        Cell(.idle, .receiversReopened, .idle, .receiversReopened),
      ]

      static let watching = [
        Cell(.watching, .receiverWanted, .watching, .timer, settled: [timer(9_000)]),
        Cell(
          .watching, .receiverUnwanted, .watching, .mode(.significantChanges),
          settled: [unwatch] + told(.open) + [timer(304_100)], next: .idle),
        Cell(.watching, .released, .watching, .mode(.off), settled: end, next: .closed),
        Cell(.watching, .connected, .watching, .connected),
        Cell(.watching, .identified, .watching, version),
        Cell(.watching, .greeted, .watching, devices),
        Cell(
          .watching, .failed, .watching, lost, handled: hasFailed + [failure("gone")], settled: [timer(4_600)],
          next: .backingOff),
        Cell(.watching, .retryDue, .checking, .mode(.gps)),
        Cell(.watching, .receiverFound, .watching, fix, handled: [used], settled: [timer(4_350)]),
        Cell(.watching, .receiverMissing, .watching, noDevices, handled: missing, next: .withoutReceiver),
        Cell(.watching, .receiversReopened, .watching, .receiversReopened, handled: [watch]),
      ]

      static let withoutReceiver = [
        Cell(.withoutReceiver, .receiverWanted, .withoutReceiver, .timer, settled: [timer(9_000)]),
        Cell(
          .withoutReceiver, .receiverUnwanted, .withoutReceiver, .mode(.significantChanges),
          settled: [unwatch] + told(.open) + [timer(305_100)], next: .idle),
        Cell(.withoutReceiver, .released, .withoutReceiver, .mode(.off), settled: end, next: .closed),
        Cell(.withoutReceiver, .connected, .withoutReceiver, .connected),
        Cell(.withoutReceiver, .identified, .withoutReceiver, version),
        Cell(.withoutReceiver, .greeted, .withoutReceiver, noDevices),
        Cell(
          .withoutReceiver, .failed, .withoutReceiver, lost, handled: hasFailed + [failure("gone")],
          settled: [timer(5_600)], next: .backingOff),
        Cell(.withoutReceiver, .retryDue, .checkingWithoutReceiver, .mode(.gps)),
        Cell(
          .withoutReceiver, .receiverFound, .withoutReceiver, fix, handled: told(.watching) + [used],
          settled: [timer(5_350)],
          next: .watching),
        Cell(.withoutReceiver, .receiverMissing, .withoutReceiver, noDevices),
        Cell(.withoutReceiver, .receiversReopened, .withoutReceiver, .receiversReopened, handled: [watch]),
      ]

      static let backingOff = [
        Cell(.backingOff, .receiverWanted, .backingOff, .timer, settled: [timer(3_500)]),
        Cell(.backingOff, .receiverUnwanted, .backingOffUnwanted, .timer, settled: [timer(303_100)]),
        Cell(
          .backingOff, .released, .backingOff, .mode(.off), settled: told(.closed) + [.setTimer(nil)], next: .closed),
        Cell(.backingOff, .connected, .backingOff, .connected),
        Cell(.backingOff, .identified, .backingOff, version),
        Cell(.backingOff, .greeted, .backingOff, devices),
        Cell(.backingOff, .failed, .backingOff, lost),
        Cell(
          .backingOff, .retryDue, .backingOffUnwanted, .mode(.gps), handled: [.connect] + told(.connecting),
          settled: [timer(33_200)], next: .connecting),
        Cell(.backingOff, .receiverFound, .backingOff, fix),
        Cell(.backingOff, .receiverMissing, .backingOff, noDevices),
        Cell(.backingOff, .receiversReopened, .backingOff, .receiversReopened),
      ]

      private static let used = Action.log("the fixes of /dev/ttyUSB0 are used")
      private static func timer(_ milliseconds: Int) -> Action { .setTimer(.milliseconds(milliseconds)) }
    }
  }

  // MARK: - Scenes

  extension GPSDCoreTests {
    /// The actions of an input, and those of `settle` afterwards: for deadlines that have passed, and for the demand for the receiver.
    struct Turn: Equatable {
      var handled: [Action] = []
      var settled: [Action] = []
    }

    /// A core after some inputs, and the time.
    struct Scene: CustomTestStringConvertible {
      private(set) var core: GPSDCore
      private(set) var milliseconds = 0
      var chance = 0.0

      var uptime: Duration { .milliseconds(milliseconds) }
      var mode: ReceiverMode { core.plan.mode }
      var testDescription: String { "\(core.state) after \(uptime)" }

      init(controlSocket: String? = nil) {
        core = GPSDCore(
          .init(
            host: "localhost", port: 2947, controlSocket: controlSocket, checkInterval: .seconds(300),
            policy: .standaloneReceiver, usesReceiverTime: false))
      }

      @discardableResult
      mutating func handle(_ input: GPSDCore.Input, after milliseconds: Int) -> Turn {
        handle(input, at: self.milliseconds + milliseconds)
      }

      @discardableResult
      mutating func handle(_ input: GPSDCore.Input, at milliseconds: Int) -> Turn {
        self.milliseconds = milliseconds
        let now = GPSDCore.Now(
          uptime: uptime, date: Date(timeIntervalSince1970: 0), chance: chance, files: [:])
        var turn = Turn()
        core.handle(input, at: now, into: &turn.handled)
        // Limits a turn that doesn't end.
        for _ in 0..<10 {
          guard core.settle(at: now, into: &turn.settled) else { break }
        }
        return turn
      }

      private func taking(_ inputs: (time: Int, input: GPSDCore.Input)...) -> Scene {
        var scene = self
        for (time, input) in inputs { scene.handle(input, at: time) }
        return scene
      }

      /// A core that watches the receiver for an acquisition.
      var watched: Scene {
        taking(
          (0, .began), (0, .mode(.gps)), (2_000, .connected), (3_000, Cell.version), (4_000, Cell.devices))
      }

      static let notRunning = Scene().taking((0, .mode(.gps)))
      static let off = Scene().taking((0, .began))
      static let asleep = Scene().taking((0, .began), (0, .mode(.significantChanges)))
      static let connecting = Scene().taking((0, .began), (0, .mode(.gps)))
      static let connectingUnwanted = connecting.taking((1_000, .mode(.significantChanges)))
      static let greeting = connecting.taking((2_000, .connected))
      static let greetingUnwanted = connectingUnwanted.taking((2_000, .connected))
      static let identified = greeting.taking((3_000, Cell.version))
      static let identifiedUnwanted = greetingUnwanted.taking((3_000, Cell.version))
      static let idle = identifiedUnwanted.taking((4_000, Cell.devices))
      static let watching = Scene().watched
      static let withoutReceiver = watching.taking((5_000, Cell.noDevices))
      static let backingOff = greeting.taking((3_000, Cell.lost))
      static let backingOffUnwanted = backingOff.taking((3_100, .mode(.significantChanges)))
      /// A core that watches the receiver for a movement check.
      static let checking = idle.taking((301_000, .timer))
      static let checkingWithoutReceiver = checking.taking((302_000, Cell.noDevices))
    }
  }

  /// Returns the actions that report a new state of the connection.
  private func told(_ connection: GPSDProvider.Connection) -> [GPSDCore.Action] {
    [.log(connection.description), .connectionChanged(connection)]
  }

  private func failure(_ reason: String) -> GPSDCore.Action { .report(.failure(.other(reason))) }
#endif
