"""Clicks every event in every reachable state on the page of the machines, in Chromium, and compares the page with the CSV tables."""

import pathlib
import sys
import urllib.parse

from browser import chromium
from selenium.webdriver.support.ui import WebDriverWait

from common import Table, fail, one_line, squeezed

SHOWN = """
return {
  state: document.getElementById("now-state").textContent,
  receiver: document.getElementById("now-receiver")?.textContent,
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
    const [event, first] = [...entry.childNodes].map(part => part.textContent);
    const from = first.replace(/^transition (.*) → .*$/s, "$1").replace(/^stays in /, "");
    taken.set(from + "\\n" + event, [from, event.replace(/^[0-9]+\\. /, "")]);
  }
  if (document.getElementById("tour").textContent.startsWith("Stop")) requestAnimationFrame(watch);
  else done([...taken.values()]);
}
watch();
"""
RECEIVERS = {"waitingSignificantChange": "significantChanges", "acquiring": "gps"}


def paths(table):
    """Returns the events that lead to each reachable state."""
    found, frontier = {table.initial: []}, [table.initial]
    while frontier:
        state = frontier.pop(0)
        for (source, event), row in table.pairs.items():
            if source == state and row["target"] and row["target"] not in found:
                found[row["target"]] = found[state] + [event]
                frontier.append(row["target"])
    return found


def follow(driver, link):
    """Opens a link to the page, and waits until the page has unpacked, compiled and started the machine."""
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
        if driver.execute_script("const part = document.getElementById('picture'); return part.scrollWidth > part.clientWidth"):
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
            if machine == "location" and shown["receiver"] != RECEIVERS.get(state, "off"):
                fail(f"{where}: the receiver is {shown['receiver']}")
            deadline = table.trigger(state, table.deadlines[state][0]) if state in table.deadlines else "none"
            if shown["deadline"] != (deadline if table.deadlines else None):
                fail(f"{where}: the deadline is {shown['deadline']}")
            offered = driver.execute_script(BUTTON, event)
            after = driver.execute_script(SHOWN)
            target, reason, effects = row["target"], row["reason"], row["effects"]
            kind = {"go": "external", "stay": "internal", "ignore": "ignored", "never": "impossible"}[row["reaction"]]
            if offered["kind"] != kind:
                fail(f"{where}: the button is {offered}")
            if reason and not (offered["title"] == offered["reason"] == reason and reason in offered["label"]):
                fail(f"{where}: the reason is not shown: {offered}")
            if after["state"] != (target or state) or after["current"] != [position[target or state]]:
                fail(f"{where}: the page went to {after}")
            taken = [f"{position[state]}->{position[target]}"] if target else []
            if after["taken"] != taken:
                fail(f"{where}: the highlighted transitions are {after['taken']}")
            if squeezed(after["fired"]) != ("" if reason else squeezed(table.label(row))):
                fail(f"{where}: the picture marks {after['fired']!r}")
            if after["log"] != len(reached[state]) + 1 or after["newestClass"] != kind:
                fail(f"{where}: the log says {after}")
            said = "can't occur" if kind == "impossible" else "ignored"
            heard = [f"{said}: {reason}"] if reason else [f"transition {state} → {target}" if target else f"stays in {state}"]
            lines = after["newest"]
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
        errors = [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
        if errors:
            fail(f"the page on {machine}: {errors}")
        rest = len(table.pairs) - clicked
        print(f"the page agrees on {machine}: {clicked} pairs clicked" + (f", {rest} cannot be reached" if rest else ""))
