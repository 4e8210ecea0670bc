"""Runs hand-written copies of the machines of Examples/Machines with python-statemachine, on the walks of MachineRunner.

The runner is written by hand too, from the documentation of MachineRunner: deadlines in time and late, settings, activities, and
restarts with a changed wall clock. Each transition, effect, start, stop, ignored event and deadline is compared with its time.

usage: runner.py FOLDER, with the files that `Machines walks FOLDER` writes
"""

import collections
import json
import pathlib
import sys

from common import fail
from statemachine import State, StateMachine


def effect(name):
    """An action that logs the name of an effect, its event and its amount."""

    def perform(machine, event, cents=None):
        machine.log.append(("effect", name, str(event), cents))
        machine.performed(name, cents)

    return perform


class Machine(StateMachine):
    """A machine that logs its actions. A deadline's event is `timeOver`; durations are in milliseconds."""

    allow_event_without_transition = True
    deadlines = {}
    settings = {}
    # The events that have an amount.
    amounts = ()
    # The states of each activity, in the order in which activities start.
    activities = {}

    def __init__(self, performed):
        self.log = []
        self.moved = False
        self.performed = performed
        super().__init__()

    def on_exit_state(self, source, target):
        for name in reversed(self.ongoing(source.id)):
            if source is target or name not in self.ongoing(target.id):
                self.log.append(("stop", name))

    def on_enter_state(self, event, source, target):
        if str(event) == "__initial__":
            return
        for name in self.ongoing(target.id):
            if source is target or name not in self.ongoing(source.id):
                self.log.append(("start", name))
                self.performed(name, None)

    def ongoing(self, state):
        return [name for name, states in self.activities.items() if state in states]

    def after_transition(self, event, source, target, transition):
        if str(event) == "__initial__":
            return
        self.moved = True
        if not transition.internal:
            self.log.append(("transition", source.id, str(event), target.id))

    @property
    def state(self):
        (state,) = self.configuration
        return state.id

    def take(self, event, cents=None):
        """Takes an event, and returns the actions."""
        self.log, self.moved = [], False
        self.send(event, cents=cents)
        return self.log if self.moved else [("ignored", event)]


class Turnstile(Machine):
    locked = State(initial=True)
    unlocked = State()

    coin = locked.to(unlocked) | unlocked.to.itself(internal=True, on=effect("refund"))
    push = unlocked.to(locked)


class Payment(Machine):
    open = State(initial=True)
    asking = State()
    abandoned = State()
    held = State()
    paid = State()

    charge = open.to(asking, on=effect("ask")) | paid.to(asking, on=effect("ask"))
    approved = asking.to(held, on=effect("noteHold")) | abandoned.to(open, on=[effect("noteHold"), effect("release")])
    refused = asking.to(open) | abandoned.to(open)
    cancel = asking.to(abandoned) | held.to(open, on=effect("release"))
    deliver = held.to(paid, on=effect("transfer"))
    timeOver = asking.to(abandoned) | abandoned.to.itself(on=effect("askAgain")) | held.to(open, on=effect("release"))

    deadlines = {"asking": 30_000, "abandoned": 60_000, "held": 7 * 24 * 3_600_000}
    settings = {"asking": "patience"}
    amounts = ("charge", "approved")


class Connection(Machine):
    off = State(initial=True)
    dial1 = State()
    pause1 = State()
    dial2 = State()
    pause2 = State()
    dial3 = State()
    pause3 = State()
    connected = State()

    start = off.to(dial1)
    stop = off.from_(dial1, dial2, dial3, connected, pause1, pause2, pause3)
    opened = connected.from_(dial1, dial2, dial3)
    closed = dial1.to(pause1) | dial2.to(pause2) | dial3.to(pause3) | connected.to(pause1)
    timeOver = (
        dial1.to(pause1) | dial2.to(pause2) | dial3.to(pause3) | pause1.to(dial2) | pause2.to(dial3) | pause3.to(dial3)
    )

    deadlines = {"dial1": 10_000, "dial2": 10_000, "dial3": 10_000, "pause1": 1_000, "pause2": 5_000, "pause3": 30_000}
    activities = {"call": {"dial1", "dial2", "dial3", "connected"}}


class Runner:
    """Runs a machine in virtual time, in whole milliseconds."""

    MOST_CAUGHT_UP = 1_000

    def __init__(self, machine, has_timers, answers):
        self.machine = machine(self.performed)
        self.has_timers = has_timers
        self.answers = answers
        self.waiting = collections.deque()
        # The answers to the deadline that is being taken.
        self.late = None
        self.now = self.entered = self.clock_set_by = 0
        self.settings = {}
        # Settings that are set before the first event hold from the beginning.
        self.has_begun = False
        self.actions = []
        self.deadlines_taken = self.answers_taken = 0

    def performed(self, effect, cents):
        """An effect's answer waits until the turn is over. The answer to a deadline has the deadline's time."""
        if effect in self.answers:
            waiting = self.waiting if self.late is None else self.late
            event = self.answers[effect]
            waiting.append((event, (cents or 0) if event in self.machine.amounts else None))

    @property
    def due(self):
        duration = self.machine.deadlines.get(self.machine.state)
        if duration is None:
            return None
        return self.entered + self.settings.get(self.machine.settings.get(self.machine.state), duration)

    def take(self, event, entered, cents=None):
        """Takes an event. The deadline of the next state counts from `entered`."""
        actions = self.machine.take(event, cents)
        if any(action[0] == "transition" for action in actions):
            self.entered = entered
        self.actions += [(self.now, *action) for action in actions]

    def turn(self, event=None, cents=None):
        """Takes the deadlines of the past, then the event, and then the answers in the same way."""
        self.has_begun = True
        self.expire()
        if event:
            self.take(event, self.now, cents)
            self.expire()
        self.answer()

    def answer(self):
        """Takes the answers, after the deadlines of the past."""
        while self.waiting:
            self.answers_taken += 1
            answer = self.waiting.popleft()
            self.expire()
            self.take(answer[0], self.now, answer[1])
            self.expire()

    def expire(self):
        """Takes the deadlines of the past, each with its answers. Each one counts from the one before."""
        count = 0
        while self.due is not None and self.due <= self.now:
            if count == self.MOST_CAUGHT_UP:
                self.entered = self.now
                break
            count += 1
            due, self.late = self.due, collections.deque()
            self.take("timeOver", due)
            while self.late:
                self.answers_taken += 1
                event, cents = self.late.popleft()
                self.take(event, due, cents)
            self.late = None
        self.deadlines_taken += count

    def step(self, kind, value):
        self.actions = []
        if kind == "event":
            self.turn(value["name"], value.get("cents"))
        elif kind == "wait":
            end = self.now + value["_0"]
            while self.has_timers and self.due is not None and self.due <= end:
                self.now = max(self.now, self.due)
                self.turn()
            self.now = end
        elif kind == "expire":
            self.turn()
        elif kind == "setting":
            was_over = self.due is None or self.due <= self.now
            self.settings[value["name"]] = value["duration"]
            # A deadline that a shorter setting ends is over now, and wasn't before.
            if self.has_begun and not was_over and self.due < self.now:
                self.entered += self.now - self.due
            self.expire()
            self.answer()
        elif kind == "restart":
            entered = self.entered + self.clock_set_by
            ongoing = self.machine.ongoing(self.machine.state)
            self.actions += [(self.now, "stop", name) for name in reversed(ongoing)]
            self.now += value["away"]
            self.actions += [(self.now, "start", name) for name in ongoing]
            self.clock_set_by += value["clockSetBy"]
            # An entry in the future is the effect of a wall clock that was set back.
            self.has_begun = False
            self.entered = self.now - max(0, self.now + self.clock_set_by - entered) if self.machine.deadlines else 0
            self.expire()
            self.answer()
        else:
            fail(f"there is no input {kind}")
        return self.actions


def recorded(action):
    """An action of the file, as a tuple like those of Runner."""
    ((kind, value),) = action.items()
    if kind == "effect":
        return (value["at"], kind, value["name"], value["event"], value.get("cents"))
    if kind == "transition":
        return (value["at"], kind, value["from"], value["event"], value["to"])
    if kind in ("start", "stop"):
        return (value["at"], kind, value["name"])
    return (value["at"], kind, value["event"])


def compare(machine, walks):
    """Compares walks, and prints how many."""
    steps = actions = deadlines = answers = restarts = 0
    for number, walk in enumerate(walks):
        runner = Runner(machine, walk["hasTimers"], walk["answers"])
        for position, step in enumerate(walk["steps"]):
            ((kind, value),) = step["input"].items()
            found = runner.step(kind, value)
            expected = [recorded(action) for action in step["actions"]]
            place = f"runner.py on {machine.__name__}, walk {number}, step {position}, {step['input']}"
            for mine, theirs in zip(found, expected):
                if mine != theirs:
                    fail(f"{place}: python-statemachine did {mine}, MachineRunner {theirs}")
            if len(found) != len(expected):
                longer = found if len(found) > len(expected) else expected
                who = "python-statemachine" if longer is found else "MachineRunner"
                fail(f"{place}: {who} alone did {longer[min(len(found), len(expected))]}")
            if runner.machine.state != step["state"]:
                fail(f"{place}: python-statemachine is in {runner.machine.state}, MachineRunner in {step['state']}")
            next_deadline = None if runner.due is None else max(0, runner.due - runner.now)
            if next_deadline != step.get("next"):
                fail(f"{place}: the next deadline is in {next_deadline} ms, by MachineRunner in {step.get('next')} ms")
            steps += 1
            actions += len(found)
            restarts += kind == "restart"
        deadlines += runner.deadlines_taken
        answers += runner.answers_taken
    if not steps or not actions or machine.deadlines and not deadlines:
        fail(f"there is nothing to compare on {machine.__name__}")
    text = f"{len(walks)} walks, {steps} inputs, {restarts} restarts, {answers} answers, {actions} actions, {deadlines} deadlines"
    print(f"python-statemachine and MachineRunner agree on {machine.__name__}: {text}")


for machine in [Turnstile, Payment, Connection]:
    file = pathlib.Path(sys.argv[1]) / f"{machine.__name__.lower()}.json"
    compare(machine, json.loads(file.read_text(encoding="utf-8"))["walks"])
