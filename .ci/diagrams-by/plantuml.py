"""Reads the PlantUML files: -syntax counts, -tscxml exports the arrows, and -tsvg has every drawn word.

Its SCXML export names the first line of an arrow's label and leaves internal transitions out; the picture has them all.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from common import MACHINES, Table, compare, fail, squeezed

SCXML = "{http://www.w3.org/2005/07/scxml}"


def decoded(text):
    return re.sub(r"<U\+([0-9A-F]{4,})>", lambda match: chr(int(match[1], 16)), text)


for machine in MACHINES:
    table = Table(sys.argv[1], machine)
    text = (pathlib.Path(sys.argv[1]) / f"{machine}.puml").read_text(encoding="utf-8")
    said = subprocess.run(["plantuml", "-charset", "UTF-8", "-syntax"], input=text, capture_output=True, text=True).stdout
    if not said.startswith("STATE\n"):
        fail(f"PlantUML on {machine}: {said}")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "machine.puml"
        source.write_text(text, encoding="utf-8")
        for form in ["-tscxml", "-tsvg"]:
            subprocess.run(["plantuml", "-charset", "UTF-8", form, source], check=True, capture_output=True)
        chart = ElementTree.parse(source.with_suffix(".scxml")).getroot()
        picture = ElementTree.parse(source.with_suffix(".svg")).getroot()
    found, starts = {}, []
    for state in chart.iter(f"{SCXML}state"):
        for transition in state.iter(f"{SCXML}transition"):
            name, target = decoded(state.get("id")), decoded(transition.get("target"))
            if name == chart.get("initial"):
                starts.append(target)
            else:
                found[name, target] = decoded(transition.get("event"))
    compare("PlantUML", machine, "arrows", found, {pair: labels[0] for pair, labels in table.arrows().items()})
    compare("PlantUML", machine, "initial state", dict.fromkeys(starts), {table.initial: None})
    states = {decoded(state.get("id")): None for state in chart.iter(f"{SCXML}state")}
    states.pop(chart.get("initial"))
    compare("PlantUML", machine, "states", states, dict.fromkeys(table.states))

    words = squeezed("".join("".join(part.itertext()) for part in picture.iter() if part.tag.endswith("}text")))
    labels = [label for labels in [*table.arrows().values(), *table.inside().values()] for label in labels]
    for label in labels:
        if words.count(squeezed(label)) < labels.count(label):
            fail(f"PlantUML on {machine}: it does not draw {label!r}")
    print(f"PlantUML agrees on {machine}: {len(found)} arrows, {len(labels)} labels drawn")
