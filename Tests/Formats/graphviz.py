"""Reads the DOT files with `dot -Tjson0`, and compares the nodes and edges with the CSV tables."""

import html
import json
import subprocess
import sys

from common import MACHINES, Table, compare


def split(text, separator):
    """Splits a text at the separators that aren't escaped with a backslash."""
    parts, current, index = [], "", 0
    while index < len(text):
        if text[index] == "\\" and index + 1 < len(text) and text[index : index + 2] != separator:
            current += text[index : index + 2]
            index += 2
        elif text.startswith(separator, index):
            parts.append(current)
            current = ""
            index += len(separator)
        else:
            current += text[index]
            index += 1
    return parts + [current]


def plain(text):
    result, index = "", 0
    while index < len(text):
        if text[index] == "\\":
            index += 1
        result += text[index]
        index += 1
    return html.unescape(result)


def labels(text):
    """Returns the lines of a label. A line that begins with a slash is joined to the line before."""
    lines = [plain(line) for line in split(text, "\\l")[:-1]]
    joined = []
    for line in lines:
        if line.startswith("/ ") and joined:
            joined[-1] += " " + line
        else:
            joined.append(line)
    return joined


for machine in MACHINES:
    table = Table(sys.argv[1], machine, is_picture=True)
    text = subprocess.run(
        ["dot", "-Tjson0", f"{sys.argv[1]}/{machine}.dot"], check=True, capture_output=True, text=True
    ).stdout
    graph = json.loads(text)
    names, inside = {}, {}
    for node in graph["objects"]:
        label = node["label"]
        if node["name"] == "start":
            names[node["_gvid"]] = None
        elif label.startswith("{"):
            name, rest = split(label[1:-1], "|")
            names[node["_gvid"]] = plain(name)
            inside[plain(name)] = labels(rest)
        else:
            names[node["_gvid"]] = plain(label)
    found, starts = {}, []
    for edge in graph["edges"]:
        source, target = names[edge["tail"]], names[edge["head"]]
        if source is None:
            starts.append(target)
        elif (source, target) in found:
            sys.exit(f"{machine}: two arrows from {source} to {target}")
        else:
            found[source, target] = labels(edge["label"])
    compare("Graphviz", machine, "arrows", found, table.arrows())
    compare("Graphviz", machine, "internal transitions", inside, table.inside())
    compare("Graphviz", machine, "states", dict.fromkeys(filter(None, names.values())), dict.fromkeys(table.states))
    compare("Graphviz", machine, "initial state", dict.fromkeys(starts), {table.initial: None})
    print(f"Graphviz agrees on {machine}: {len(found)} arrows, {len(table.states)} states")
