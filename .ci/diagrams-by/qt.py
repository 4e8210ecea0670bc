"""Runs the SCXML files with Qt in virtual time, and compares each step with the Swift machine's."""

import pathlib
import subprocess
import sys

from common import MACHINES, counted, fail, scxml_name, walk

folder, runner = sys.argv[1], sys.argv[2]


def line(step):
    if step is None:
        return "!"
    if "wait" in step:
        return f"+{step['wait']}"
    return "_x0065_ffect" if step["event"] == "effect" else scxml_name(step["event"])


for machine in MACHINES:
    steps = list(walk(folder, machine))
    lines = [line(step) for step in steps]
    chart = str(pathlib.Path(folder) / f"{machine}.scxml")
    ended = subprocess.run([runner, chart], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=120)
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
    print(f"Qt agrees on {machine}: {counted(taken)}, states and effects")
