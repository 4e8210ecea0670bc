"""Qt runs our SCXML in step with the Swift machine: each event, state and effect of the walk."""

import pathlib
import subprocess
import sys

from common import MACHINES, fail, scxml_name, walk

folder, runner = sys.argv[1], sys.argv[2]
for machine in MACHINES:
    steps = list(walk(folder, machine))
    lines = ["!" if step is None else "_x0065_ffect" if step["event"] == "effect" else scxml_name(step["event"]) for step in steps]
    ended = subprocess.run(
        [runner, str(pathlib.Path(folder) / f"{machine}.scxml")], input="\n".join(lines) + "\n", capture_output=True, text=True
    )
    if ended.returncode:
        fail(f"Qt on {machine}: {ended.stderr}")
    taken = [step for step in steps if step is not None]
    said = ended.stdout.splitlines()
    if len(said) != len(taken):
        fail(f"Qt on {machine}: {len(taken)} events, {len(said)} answers")
    for number, (step, answer) in enumerate(zip(taken, said)):
        expected = " ".join([scxml_name(step["state"]), *(scxml_name(effect) for effect in step["effects"])])
        if answer != expected:
            fail(f"Qt on {machine}, step {number}, {step}: it says {answer}")
    print(f"Qt agrees on {machine}: {len(taken)} events, states and effects")
