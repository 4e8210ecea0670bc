"""python-statemachine runs our SCXML in step with the Swift machine: each event, state and effect of the walk."""

import pathlib
import sys

from common import MACHINES, Table, fail, scxml_name, walk
from statemachine.io import load

# An event's name becomes an attribute of python-statemachine's own, and there these have a use already.
TAKEN = {"prepare"}


def event_name(name):
    return "_x0065_ffect" if name == "effect" else scxml_name(name) + "_taken" * (name in TAKEN)


for machine in MACHINES:
    Table(sys.argv[1], machine)
    text = (pathlib.Path(sys.argv[1]) / f"{machine}.scxml").read_text(encoding="utf-8")
    for name in TAKEN:
        text = text.replace(f'event="{name}"', f'event="{event_name(name)}"')
    chart = load(text, format="scxml")
    running, steps, seen = None, 0, []
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
        running.send(event_name(step["event"]))
        states = [state.id for state in running.configuration]
        if states != [scxml_name(step["state"])]:
            fail(f"python-statemachine on {machine}, step {steps}, {step}: it is in {states}")
        effects = [scxml_name(effect) for effect in step["effects"]]
        if seen != effects:
            fail(f"python-statemachine on {machine}, step {steps}, {step}: it sent {seen}")
        steps += 1
    print(f"python-statemachine agrees on {machine}: {steps} events, states and effects")
