"""Runs the SCXML files with python-statemachine in virtual time, and compares each step with that of the Swift machine."""

import pathlib
import sys

import statemachine.engines.sync
import statemachine.event_data
from common import MACHINES, Table, counted, fail, scxml_name, walk
from statemachine.engines.sync import SyncEngine
from statemachine.io import load

# python-statemachine adds an attribute with each event's name to its state machine. These names are already attributes of it.
TAKEN = {"prepare"}
# A state becomes an attribute of the class with the state's name.
TAKEN_STATES = {"__init__"}
# The names of events that StateDiagram.scxml changes.
CHANGED = {"effect": "_x0065_ffect", "error": "_x0065_rror", "done": "_x0064_one"}


def event_name(name):
    return CHANGED.get(name) or scxml_name(name) + "_taken" * (name in TAKEN)


def state_name(name):
    return scxml_name(name) + "_taken" * (name in TAKEN_STATES)


class VirtualTime:
    """The engine's clock, in whole milliseconds. Delayed events wait until `wait` advances the clock."""

    def __init__(self):
        self.milliseconds = 0
        statemachine.event_data.monotonic = lambda: self.milliseconds / 1000
        # A microsecond ahead, so that rounding never makes a due event late.
        statemachine.engines.sync.monotonic = lambda: self.milliseconds / 1000 + 1e-6
        take = SyncEngine._take_due_external_event

        def take_if_due(engine, first_result):
            due = self.next_due(engine)
            if due is not None and due > self.milliseconds:
                return False, first_result
            return take(engine, first_result)

        SyncEngine._take_due_external_event = take_if_due

    @staticmethod
    def next_due(engine):
        times = [event.execution_time for event in engine.external_queue.queue.queue if not event.cancelled]
        return round(min(times) * 1000) if times else None

    def wait(self, engine, milliseconds):
        end = self.milliseconds + milliseconds
        while (due := self.next_due(engine)) is not None and due <= end:
            self.milliseconds = due
            engine.processing_loop()
        self.milliseconds = end


time = VirtualTime()
for machine in MACHINES:
    Table(sys.argv[1], machine)
    text = (pathlib.Path(sys.argv[1]) / f"{machine}.scxml").read_text(encoding="utf-8")
    for name in TAKEN:
        text = text.replace(f'event="{name}"', f'event="{event_name(name)}"')
    for name in TAKEN_STATES:
        for attribute in ("id", "target", "initial"):
            text = text.replace(f'{attribute}="{name}"', f'{attribute}="{state_name(name)}"')
    chart = load(text, format="scxml")
    running, steps, seen = None, [], []
    for step in walk(sys.argv[1], machine):
        if step is None:
            running = chart()
            put = running._engine.put

            def observe(trigger, internal=False, put=put):
                if str(trigger.event).startswith("effect."):
                    seen.append(str(trigger.event)[len("effect.") :])
                return put(trigger, internal)

            running._engine.put = observe
            continue
        seen.clear()
        if "wait" in step:
            time.wait(running._engine, step["wait"])
        else:
            running.send(event_name(step["event"]))
        states = [state.id for state in running.configuration]
        if states != [state_name(step["state"])]:
            fail(f"python-statemachine on {machine}, step {len(steps)}, {step}: it is in {states}")
        effects = [scxml_name(effect) for effect in step["effects"]]
        if seen != effects:
            fail(f"python-statemachine on {machine}, step {len(steps)}, {step}: it sent {seen}")
        steps.append(step)
    print(f"python-statemachine agrees on {machine}: {counted(steps)}, states and effects")
