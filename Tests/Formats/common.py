"""Reads the CSV tables and the walks for the checks of the formats, without LocoKit's code."""

import csv
import json
import pathlib
import re
import sys

MACHINES = ["location", "look", "trip", "trip-detection", "pace", "gpsd", "turnstile", "light", "order", "nasty", "words", "still"]


def fail(message):
    sys.exit(f"disagreement: {message}")


def one_line(text):
    return re.sub(r"[\r\n]", " ", text)


def duration(milliseconds):
    return f"{milliseconds} ms" if milliseconds % 1000 else f"{milliseconds // 1000} s"


def squeezed(text):
    return re.sub(r"\s+", "", text.replace("\u00a0", " "))


class Table:
    """A machine's CSV table."""

    def __init__(self, folder, machine, is_picture=False):
        path = pathlib.Path(folder) / f"{machine}.csv"
        with open(path, newline="", encoding="utf-8") as file:
            self.rows = list(csv.DictReader(file))
        if is_picture:
            for row in self.rows:
                row["state"] = row["state"] or "(no name)"
                row["target"] = row["target"] if row["reaction"] != "go" else row["target"] or "(no name)"
        self.machine = machine
        self.states = list(dict.fromkeys(row["state"] for row in self.rows))
        self.initial = self.states[0]
        # The row of each pair of a state and an event.
        self.pairs = {(row["state"], row["event"]): row for row in self.rows}
        # The deadline of each state that has one: the event, the milliseconds, and the name of the setting (empty for a fixed duration).
        self.deadlines = json.loads(path.with_suffix(".deadlines").read_text(encoding="utf-8"))
        self.activities = json.loads(path.with_suffix(".activities").read_text(encoding="utf-8"))

    def label(self, row):
        """Returns the label of a row: the event, with the time of its deadline if it has one, and the row's effects separated by commas."""
        # A space separates effects: no effect of these machines has a space in its name.
        effects = row["effects"].split(" ") if row["effects"] else []
        return self.trigger(row["state"], row["event"]) + (" / " + ", ".join(effects) if effects else "")

    def trigger(self, state, event):
        """Returns the event, with the time of its deadline if it has one."""
        deadline, milliseconds, setting = self.deadlines.get(state, (None, None, None))
        if deadline != event:
            return one_line(event)
        return f"{one_line(event)} after {setting + ', ' if setting else ''}{duration(int(milliseconds))}"

    def arrows(self):
        """Returns the labels of each arrow, by (source, target)."""
        arrows = {}
        for row in self.rows:
            if row["reaction"] == "go":
                arrows.setdefault((row["state"], row["target"]), []).append(self.label(row))
        return arrows

    def inside(self):
        """Returns the labels of each state's activities and internal transitions."""
        inside = {state: [f"do / {one_line(name)}" for name in names] for state, names in self.activities.items() if names}
        for row in self.rows:
            if row["reaction"] == "stay":
                inside.setdefault(row["state"], []).append(self.label(row))
        return inside


def walk(folder, machine):
    """Yields the steps of a walk. `None` is a restart of the machine."""
    with open(pathlib.Path(folder) / f"{machine}.walk", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def counted(steps):
    """Returns the numbers of events and waits in a walk, as text."""
    waits = sum("wait" in step for step in steps)
    return f"{len(steps) - waits} events" + (f", {waits} waits" if waits else "")


def scxml_name(text):
    """Returns the SCXML name of a state, an effect, or an event other than `effect`, as documented for `StateDiagram.scxml`."""
    if not text:
        return "_x_"
    name = ""
    for index, character in enumerate(text):
        following = text[index + 1 : index + 2]
        plain = character.isascii() and (character.isalpha() or bool(character.isdigit() and name))
        plain = plain or character == "_" and following != "x"
        name += character if plain else f"_x{ord(character):04X}_"
    return name


def compare(tool, machine, what, found, expected):
    if found != expected:
        missing = {key: value for key, value in expected.items() if found.get(key) != value}
        extra = {key: value for key, value in found.items() if expected.get(key) != value}
        fail(f"{tool} on {machine}, {what}:\n  the CSV says {missing}\n  {tool} says {extra}")
