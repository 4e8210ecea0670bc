"""Clicks every event in every reachable state on the page of the machines, in Chromium, and compares the page with the CSV tables."""

import pathlib
import sys
import urllib.parse

from axe_selenium_python import Axe
from browser import chromium
from selenium.webdriver.support.ui import WebDriverWait

from common import Table, fail, one_line, squeezed

SHOWN = """
return {
  state: document.getElementById("now-state").textContent,
  activities: document.getElementById("now-activities")?.textContent,
  deadline: document.getElementById("now-deadline")?.textContent,
  fired: [...document.querySelectorAll("#picture .fired")].map(line => line.textContent).join(" "),
  current: [...document.querySelectorAll("#picture .current")].map(part => part.dataset.title),
  taken: [...document.querySelectorAll("#picture .taken")].map(part => part.dataset.title),
  log: document.querySelectorAll("#log li").length,
  newest: [...(document.querySelector("#log li")?.childNodes ?? [])].map(part => part.textContent),
  newestClass: document.querySelector("#log li")?.className,
  reason: document.getElementById("reason").textContent,
  hash: location.hash,
}
"""
BUTTON = """
const button = [...document.querySelectorAll("#events button")].find(button => button.dataset.event === arguments[0]);
button.focus();
const offered = { kind: button.dataset.kind, title: button.title, reason: document.getElementById("reason").textContent,
  label: button.getAttribute("aria-label") };
button.click();
return offered;
"""
TOUR = """
const done = arguments[0], taken = new Map();
function watch() {
  for (const entry of document.querySelectorAll("#log li")) {
    const [event, first] = [...entry.childNodes].filter(part => part.className !== "mark").map(part => part.textContent);
    const from = first.replace(/^transition (.*) → .*$/s, "$1").replace(/^stays in /, "");
    taken.set(from + "\\n" + event, [from, event.replace(/^[0-9]+\\. /, "")]);
  }
  if (document.getElementById("tour").textContent.startsWith("Stop")) requestAnimationFrame(watch);
  else done([...taken.values()]);
}
watch();
"""
# The boxes and labels of a drawing that overlap, and the labels that are outside of it.
OVERLAPS = """
const area = document.querySelector("#picture svg").getBoundingClientRect();
const parts = [...document.querySelectorAll("#picture .node:not([data-title=start]) path, #picture .edge text")]
  .map(part => [part.textContent || part.parentNode.textContent, part.getBoundingClientRect()]);
return parts.filter(([, a], at) => a.left < area.left - 1 || a.right > area.right + 1 || a.top < area.top - 1 || a.bottom > area.bottom + 1
  || parts.some(([, b], other) => other > at && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)).map(([name]) => name);
"""


def paths(table):
    """Returns the events that lead to each reachable state."""
    found, frontier = {table.initial: []}, [table.initial]
    while frontier:
        state = frontier.pop(0)
        for (source, event), row in table.pairs.items():
            if source == state and row["reaction"] == "go" and row["target"] not in found:
                found[row["target"]] = found[state] + [event]
                frontier.append(row["target"])
    return found


def event_number(table, event):
    return list(dict.fromkeys(name for _, name in table.pairs)).index(event)


def follow(driver, link):
    """Opens a link to the page, and waits until the page has started the machine."""
    driver.get(link)
    WebDriverWait(driver, 30, 0.01).until(
        lambda driver: driver.execute_script("return document.querySelectorAll('#events button').length")
    )


page = pathlib.Path(sys.argv[2]).resolve().as_uri()
with chromium() as driver:
    driver.set_window_size(1400, 900)
    driver.get("about:blank")
    for machine in sys.argv[3:]:
        follow(driver, f"{page}#{machine}")
        # A picture of Graphviz fits; the page's own drawing may scroll.
        if driver.execute_script(
            "const part = document.getElementById('picture'); return pictureOf(index) && part.scrollWidth > part.clientWidth"):
            fail(f"the page cuts the drawing of {machine} in a window of 1,400 px")
        driver.get("about:blank")
        table = Table(sys.argv[1], machine)
        position = {state: f"s{index}" for index, state in enumerate(table.states)}
        reached, clicked = paths(table), 0
        for (state, event), row in table.pairs.items():
            if state not in reached:
                continue
            link = ",".join(urllib.parse.quote(part, safe="!~*'()") for part in [machine, *reached[state]])
            driver.get("about:blank")
            follow(driver, f"{page}#{link}")
            shown = driver.execute_script(SHOWN)
            where = f"the page on {machine}, {state!r} and {event!r}"
            if shown["state"] != state or shown["current"] != [position[state]]:
                fail(f"{where}: the link does not lead to the state: {shown}")
            activities = ", ".join(table.activities[state]) or "none"
            if shown["activities"] != (activities if any(table.activities.values()) else None):
                fail(f"{where}: the activities are {shown['activities']}")
            deadline = table.trigger(state, table.deadlines[state][0]) if state in table.deadlines else "none"
            if shown["deadline"] != (deadline if table.deadlines else None):
                fail(f"{where}: the deadline is {shown['deadline']}")
            offered = driver.execute_script(BUTTON, event)
            after = driver.execute_script(SHOWN)
            target = row["target"] if row["reaction"] == "go" else None  # a state may have an empty name
            reason, effects = row["reason"], row["effects"]
            kind = {"go": "external", "stay": "internal", "ignore": "ignored", "never": "impossible"}[row["reaction"]]
            if offered["kind"] != kind:
                fail(f"{where}: the button is {offered}")
            if reason and not (offered["title"] == offered["reason"] == reason and reason in offered["label"]):
                fail(f"{where}: the reason is not shown: {offered}")
            if after["state"] != (state if target is None else target) or after["current"] != [position[after["state"]]]:
                fail(f"{where}: the page went to {after}")
            taken = [f"{position[state]}->{position[target]}"] if target is not None else []
            if after["taken"] != taken:
                fail(f"{where}: the highlighted transitions are {after['taken']}")
            if squeezed(after["fired"]) != ("" if reason else squeezed(table.label(row))):
                fail(f"{where}: the picture marks {after['fired']!r}")
            if after["log"] != len(reached[state]) + 1 or after["newestClass"] != kind:
                fail(f"{where}: the log says {after}")
            said = "can't occur" if kind == "impossible" else "ignored"
            heard = [f"{said}: {reason}"] if reason else [f"transition {state} → {target}" if target is not None else f"stays in {state}"]
            lines = after["newest"]
            if table.deadlines and lines.pop(1) != " at 0:00:00":
                fail(f"{where}: the log has no time: {lines}")
            if lines[0] != f"{after['log']}. {event}" or lines[1:2] != heard or " ".join(lines[2:]) != effects:
                fail(f"{where}: the log says {lines}")
            if after["hash"] != "#" + link + "," + urllib.parse.quote(event, safe="!~*'()"):
                fail(f"{where}: the link is {after['hash']}")
            clicked += 1
        driver.execute_script("document.getElementById('undo').click()")
        if driver.execute_script(SHOWN)["log"] != after["log"] - 1:
            fail(f"the page on {machine}: Undo does not remove the last event")
        driver.execute_script("document.getElementById('reset').click()")
        if driver.execute_script(SHOWN)["state"] != table.initial:
            fail(f"the page on {machine}: Restart does not lead to the initial state")
        # The tour, at 50 ms a step, takes each reachable transition.
        driver.execute_script("const real = setInterval; window.setInterval = step => real(step, 50);")
        driver.find_element("tag name", "body").send_keys("t")
        tour = driver.execute_async_script(TOUR)
        taken = {tuple(entry) for entry in tour}
        wanted = {(state, event) for (state, event), row in table.pairs.items() if state in reached and not row["reason"]}
        if taken != wanted:
            fail(f"the page on {machine}: the tour omits {wanted - taken}, and takes in addition {taken - wanted}")
        # For a link with an unknown event, the page takes the events before it, and names the unknown one.
        driver.get("about:blank")
        follow(driver, f"{page}#{machine},{urllib.parse.quote(next(iter(table.pairs))[1])},nothing")
        shown = driver.execute_script(SHOWN)
        if "nothing" not in shown["reason"] or shown["log"] != 1:
            fail(f"the page on {machine}: a wrong link shows {shown}")
        axe = Axe(driver)
        axe.inject()
        found = axe.run(options={"resultTypes": ["violations"]})["violations"]
        if found:
            fail(f"axe finds on the page on {machine}: {[(each['id'], [node['html'][:200] for node in each['nodes']]) for each in found]}")
        errors = [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
        if errors:
            fail(f"the page on {machine}: {errors}")
        # The own drawing, of the whole machine and around each state.
        if driver.execute_script("return !pictureOf(index)"):
            overlaps = driver.execute_script(OVERLAPS)
            if overlaps:
                fail(f"the drawing of {machine}: {overlaps} overlap")
            driver.execute_script("document.getElementById('around').click()")
            for state in reached:
                driver.execute_script("restart(arguments[0]); render()", [event_number(table, event) for event in reached[state]])
                overlaps, shown = driver.execute_script(OVERLAPS), driver.execute_script(SHOWN)
                if overlaps or shown["current"] != [position[state]]:
                    fail(f"the drawing of {machine} around {state!r}: {overlaps} overlap, and {shown['current']} is current")
                neighbours = {state} | {target for (source, target) in table.arrows() if source == state} | {
                    source for (source, target) in table.arrows() if target == state}
                if driver.execute_script("return document.querySelectorAll('#picture .node:not([data-title=start])').length") != len(neighbours):
                    fail(f"the drawing of {machine} around {state!r} doesn't show {neighbours}")
            driver.execute_script("document.getElementById('around').click()")
        rest = len(table.pairs) - clicked
        print(f"the page agrees on {machine}: {clicked} pairs clicked" + (f", {rest} cannot be reached" if rest else ""))
