"""Reads the Mermaid files in Chromium with the Mermaid in nicegui's wheel, and compares the result with the CSV tables."""

import html
import pathlib
import re
import sys

import nicegui
from browser import chromium, served
from common import MACHINES, Table, compare, fail, squeezed

READ = """
const [text, done] = arguments;
import("/index.js").then(async ({ mermaid }) => {
  mermaid.initialize({ startOnLoad: false });
  const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
  const database = diagram.db;
  const states = database.getStates();
  const all = states instanceof Map ? [...states.entries()] : Object.entries(states);
  const { svg } = await mermaid.render("picture", text);
  done({
    states: all.map(([id, state]) => ({ id, type: state.type, descriptions: state.descriptions || [] })),
    relations: database.getRelations().map(({ id1, id2, relationTitle }) => ({ id1, id2, title: relationTitle })),
    words: new DOMParser().parseFromString(svg, "text/html").body.textContent,
  });
}).catch(error => done({ error: String(error) }));
"""


def plain(text):
    """Decodes the entities, which Mermaid stores as ﬂ°name¶ß or ﬂ°°number¶ß before it draws."""
    text = re.sub(r"ﬂ°°(\d+)¶ß", lambda match: chr(int(match[1])), text or "")
    return re.sub(r"ﬂ°(\w+)¶ß", lambda match: html.unescape(f"&{match[1]};"), text)


with served(pathlib.Path(nicegui.__file__).parent / "elements/mermaid/dist") as address, chromium() as driver:
    driver.get(f"{address}/")
    for machine in MACHINES:
        table = Table(sys.argv[1], machine, is_picture=True)
        text = (pathlib.Path(sys.argv[1]) / f"{machine}.mmd").read_text(encoding="utf-8")
        read = driver.execute_async_script(READ, text)
        if "error" in read:
            fail(f"Mermaid on {machine}: {read['error']}")
        names, inside, starts = {}, {}, set()
        for state in read["states"]:
            descriptions = [plain(part).removeprefix(":") for part in state["descriptions"]]
            if state["type"] == "start" or state["id"].endswith("_start"):
                starts.add(state["id"])
                continue
            name = descriptions[0] if descriptions else state["id"]
            names[state["id"]] = name
            if descriptions[1:]:
                inside[name] = [part.strip() for part in descriptions[1:]]
        found, initial = {}, []
        for relation in read["relations"]:
            if relation["id1"] in starts:
                initial.append(names[relation["id2"]])
            else:
                pair = names[relation["id1"]], names[relation["id2"]]
                if pair in found:
                    fail(f"Mermaid on {machine}: two arrows for {pair}")
                found[pair] = [plain(part).strip() for part in re.split(r"<br\s*/?>", relation["title"])]
        compare("Mermaid", machine, "arrows", found, table.arrows())
        compare("Mermaid", machine, "internal transitions", inside, table.inside())
        compare("Mermaid", machine, "states", dict.fromkeys(names.values()), dict.fromkeys(table.states))
        compare("Mermaid", machine, "initial state", dict.fromkeys(initial), {table.initial: None})
        words = squeezed(read["words"])
        labels = [label for labels in [*table.arrows().values(), *table.inside().values()] for label in labels]
        for label in labels + table.states:
            if squeezed(label) not in words:
                fail(f"Mermaid on {machine}: it does not draw {label!r}")
        print(f"Mermaid agrees on {machine}: {len(found)} arrows, {len(labels)} labels drawn")
