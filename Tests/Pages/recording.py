"""Opens a journal and a log of the demo on the page of the machines, plays them, and compares the page with the lines of the files.
Then opens invalid files."""

import json
import pathlib
import re
import sys

from browser import chromium
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from common import Table, fail

folder, page = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
machines = sys.argv[3:]
journal = sorted((folder / "journal").glob("journal-*.jsonl"))
log = folder / "drive.log"
table = Table(folder, "location")
position = {state: f"s{index}" for index, state in enumerate(table.states)}

SHOWN = """
const text = id => document.getElementById(id).textContent;
return {
  said: text("said"), isWrong: document.getElementById("said").className === "wrong", step: text("step"), time: text("time"),
  state: document.getElementById("now-state")?.textContent, isOpen: !document.getElementById("player").hidden,
  current: [...document.querySelectorAll("#picture .current")].map(part => part.dataset.title),
  taken: [...document.querySelectorAll("#picture .taken")].map(part => part.dataset.title),
  differences: document.getElementById("disagreement").hidden ? []
    : [...document.querySelectorAll("#differences li")].map(part => part.textContent),
  line: Number(document.getElementById("line").value), part: document.getElementById("part").selectedOptions[0]?.textContent,
  slider: Number(document.getElementById("slider").value), last: Number(document.getElementById("slider").max),
  log: [...document.querySelectorAll("#log li")].map(part => part.textContent), hash: location.hash,
  isPlaying: text("play").startsWith("Pause"),
}
"""
# Presses a button until it is disabled, and returns what the page shows before each press and after the last one.
WALK = f"const shown = () => {{ {SHOWN} }};" + """
const button = document.getElementById(arguments[0]), seen = [shown()];
while (!button.disabled) { button.click(); seen.push(shown()); }
return seen;
"""
DROP = """
const data = new DataTransfer();
for (const [name, text] of arguments[0]) data.items.add(new File([text], name));
const drop = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
const over = new DragEvent("dragover", { dataTransfer: data, bubbles: true, cancelable: true });
document.body.dispatchEvent(over);
document.body.dispatchEvent(drop);
return over.defaultPrevented && drop.defaultPrevented;
"""
# The smallest font size in the picture, and the smallest in the rest of the page, in pixels on the screen.
LABELS = """
return Math.min(...[...document.querySelectorAll("#picture text")].map(text =>
  parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a));
"""
SMALLEST = """
return Math.min(...[...document.querySelectorAll("body *")].filter(part => !part.closest("svg, script, template")
  && [...part.childNodes].some(node => node.nodeType === 3 && node.data.trim())).map(part =>
  parseFloat(getComputedStyle(part).fontSize)));
"""
INSIDE = """
const inner = document.querySelector("#picture .current").getBoundingClientRect();
const outer = document.getElementById("picture").getBoundingClientRect();
return inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
"""


def read(files):
    """Returns the launches and transitions in the files: (file, line, source, target, event, seconds). A launch has no source and no event. The
    seconds begin at the launch in a journal, and at the start of the log in a log."""
    found, state, launched = [], None, 0
    for name, text in files:
        for number, line in enumerate(text.splitlines(), 1):
            entry = json.loads(line)
            if entry.get("is") == "launch":
                state, launched = "paused" if entry["isPaused"] else "init", entry["t"]
                found.append((name, number, None, state, None, 0))
            elif entry.get("is") == "do":
                for part in re.findall(r"(?:^|; )(\w+) → (\w+) \((\w+)\)", entry["text"]):
                    found.append((name, number, *part, (entry["t"] - launched) / 1e9))
                    state = part[1]
            elif entry.get("type") == "transition":
                if entry["from"] != state:
                    found.append((name, number, None, entry["from"], None, entry["t"]))
                state = entry["to"]
                found.append((name, number, entry["from"], state, entry["event"], entry["t"]))
    return found


def seconds(time):
    hours, minutes, rest = time.split(",")[0].split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def compare(where, seen, expected):
    if len(seen) != len(expected):
        fail(f"{where}: {len(seen)} steps, and the file has {len(expected)}")
    for shown, (name, line, before, after, event, time) in zip(seen, expected):
        happened = f"{before} → {after} ({event})" if before else "a launch begins"
        if not shown["step"].startswith(f"{name}, line {line}: {happened}") or shown["line"] != line or shown["part"] != name:
            fail(f"{where}: {name}, line {line}, {happened} is shown as {shown}")
        if shown["state"] != after or shown["current"] != [position[after]]:
            fail(f"{where}: after line {line} the state is {after}, and the page shows {shown}")
        if shown["taken"] != ([f"{position[before]}->{position[after]}"] if before else []):
            fail(f"{where}: at line {line} the page highlights {shown['taken']}")
        if not -0.001 <= time - seconds(shown["time"]) <= 0.101:
            fail(f"{where}: line {line} is {time} s after the launch, and the page shows {shown['time']}")


def begin(driver):
    driver.get("about:blank")
    driver.get(page.as_uri())
    WebDriverWait(driver, 30, 0.01).until(lambda driver: driver.find_elements(By.CSS_SELECTOR, "#events button"))


def wait(driver, what, condition):
    try:
        return WebDriverWait(driver, 60, 0.02).until(lambda driver: condition(driver.execute_script(SHOWN)))
    except Exception:
        fail(f"{what}: {driver.execute_script(SHOWN)}")


def drop(driver, *files):
    driver.execute_script("document.getElementById('said').textContent = ''")
    if not driver.execute_script(DROP, files):
        fail("the browser opens a dropped file instead of the page")
    wait(driver, "the page shows no message about a dropped file", lambda shown: shown["said"] not in ("", "Reading…"))
    return driver.execute_script(SHOWN)


def click(driver, name):
    driver.execute_script("document.getElementById(arguments[0]).click()", name)
    return driver.execute_script(SHOWN)


def size(driver, width, height):
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})


texts = [(path.name, path.read_text(encoding="utf-8")) for path in journal]
logged = (log.name, log.read_text(encoding="utf-8"))
with chromium(logs={"browser": "ALL", "performance": "ALL"}) as driver:
    begin(driver)

    # The page offers all machines.
    offered = [option.text for option in Select(driver.find_element(By.ID, "machine")).options]
    if offered != machines:
        fail(f"the page has the machines {offered}, and not {machines}")

    # The file chooser opens the journal's files. The Tab key reaches it.
    chooser = driver.find_element(By.ID, "files")
    if chooser.accessible_name != "Choose a recorded log":
        fail(f"the file chooser has the name {chooser.accessible_name!r}")
    for _ in range(12):
        if driver.switch_to.active_element == chooser:
            break
        driver.switch_to.active_element.send_keys(Keys.TAB)
    else:
        fail("the Tab key doesn't reach the file chooser")
    chooser.send_keys("\n".join(str(path.resolve()) for path in reversed(journal)))
    expected = read(texts)
    shown = wait(driver, "the journal does not open", lambda shown: shown["isOpen"] and shown)
    transitions = sum(1 for step in expected if step[2])
    if shown["said"] != f"2 launches, {transitions} transitions: the machine makes all of them." or shown["isWrong"]:
        fail(f"the page says of the journal: {shown['said']!r}")
    compare("the journal", driver.execute_script(WALK, "forward"), expected)
    compare("the journal, back", driver.execute_script(WALK, "back"), expected[::-1])
    if driver.execute_script(SHOWN)["hash"] != "#location":
        fail("the page's address contains a part of the journal")

    # A number in the line field leads to the last transition or launch in or before that line.
    for line in [1, expected[5][1], expected[5][1] + 1, 1_000_000]:
        driver.execute_script(
            "const line = document.getElementById('line'); line.value = arguments[0]; line.dispatchEvent(new Event('change'))", line)
        awaited = [step for step in expected if step[0] == journal[0].name and step[1] <= line][-1]
        compare(f"line {line}", [driver.execute_script(SHOWN)], [awaited])
    Select(driver.find_element(By.ID, "part")).select_by_visible_text(journal[1].name)
    compare("the other file", [driver.execute_script(SHOWN)], [step for step in expected if step[0] == journal[1].name][:1])

    # The keys f, b and r, and an arrow key on the slider, move through the transitions.
    click(driver, "reset")
    body, slider = driver.find_element(By.TAG_NAME, "body"), driver.find_element(By.ID, "slider")
    body.send_keys("fff")
    if driver.execute_script(SHOWN)["slider"] != 3:
        fail("the key f doesn't go forward")
    body.send_keys("b")
    if driver.execute_script(SHOWN)["slider"] != 2:
        fail("the key b doesn't go back")
    slider.send_keys(Keys.ARROW_RIGHT)
    compare("the slider, by a key", [driver.execute_script(SHOWN)], [expected[3]])
    body.send_keys("r")
    compare("r", [driver.execute_script(SHOWN)], [expected[0]])

    # Fast playback runs to the last transition. Playback one by one can be paused.
    Select(driver.find_element(By.ID, "speed")).select_by_visible_text("3,600 times")
    body.send_keys("p")
    wait(driver, "the page does not play to the end", lambda shown: shown["slider"] == shown["last"] and not shown["isPlaying"])
    compare("the end", [driver.execute_script(SHOWN)], expected[-1:])
    driver.execute_script("window.real = setInterval; window.setInterval = step => real(step, 20);")
    Select(driver.find_element(By.ID, "speed")).select_by_visible_text("one by one")
    body.send_keys("p")
    wait(driver, "the page does not play one by one", lambda shown: shown["slider"] > 3)
    body.send_keys("p")
    paused = driver.execute_script(SHOWN)
    if paused["isPlaying"] or paused["slider"] == paused["last"]:
        fail(f"the playback doesn't pause: {paused}")
    compare("paused", [paused], [expected[paused["slider"]]])
    # In real time, the clock advances between two transitions.
    click(driver, "reset")
    click(driver, "forward")
    Select(driver.find_element(By.ID, "speed")).select_by_visible_text("as it was")
    first = click(driver, "play")
    wait(driver, "the time doesn't advance", lambda shown: seconds(shown["time"]) > seconds(first["time"]))
    if driver.execute_script(SHOWN)["slider"] != first["slider"]:
        fail("the playback is faster than real time")

    # While a recording is open, an event's button only shows a hint. After it is closed, the button works again.
    was = driver.execute_script(SHOWN)["slider"]
    click(driver, "play")
    driver.execute_script("document.querySelector('#events button').click()")
    if driver.execute_script(SHOWN)["slider"] != was or "close it" not in driver.find_element(By.ID, "reason").text:
        fail("an event changes the recording")
    if click(driver, "close")["isOpen"]:
        fail("the recording doesn't close")
    driver.execute_script("document.querySelector('#events button').click()")
    if driver.execute_script(SHOWN)["state"] != "prompted":
        fail("after the recording is closed, events do nothing")

    # A log can be dropped on the page. It has no lines for launches: after one, the transitions don't continue from the last state.
    expected = read([logged])
    shown = drop(driver, logged)
    launches = sum(1 for step in expected if not step[2])
    if launches < 2 or not shown["said"].startswith(f"{launches} launches, ") or shown["isWrong"]:
        fail(f"the page says of a log with {launches} launches: {shown['said']!r}")
    compare("the log", driver.execute_script(WALK, "forward"), expected)

    # Both launches may be in one file, and its last line may be incomplete.
    both = "".join(text for _, text in texts)
    shown = drop(driver, ("both.jsonl", both + texts[0][1][:300]))
    if not shown["said"].startswith("2 launches, ") or shown["isWrong"]:
        fail(f"the page says of a journal with an incomplete line: {shown['said']!r}")
    compare("one file", driver.execute_script(WALK, "forward"), read([("both.jsonl", both)]))

    # The playback skips the time between two launches: their clocks may be unrelated.
    later = [{**json.loads(line), "t": json.loads(line)["t"] + 10**18} for line in texts[1][1].splitlines()]
    drop(driver, ("later.jsonl", texts[0][1] + "".join(json.dumps(line) + "\n" for line in later)))
    driver.execute_script(
        "const slider = document.getElementById('slider'); slider.value = arguments[0]; slider.dispatchEvent(new Event('input'))",
        len(read(texts[:1])) - 1)
    Select(driver.find_element(By.ID, "speed")).select_by_visible_text("3,600 times")
    click(driver, "play")
    wait(driver, "the playback doesn't reach the next launch", lambda shown: shown["slider"] == shown["last"])

    # The page lists a transition that the machine doesn't make, with what the machine does instead, and plays the rest.
    lines = texts[0][1].splitlines()
    at = next(number for number, line in enumerate(lines) if "(lookDue)" in line)
    for change, awaited in [
        (("→ acquiring (lookDue)", "→ paused (lookDue)"), "goes waitingSignificantChange → acquiring (lookDue)."),
        (("(lookDue)", "(resume)"), "ignores resume in waitingSignificantChange: Nothing was paused; the manager sleeps until the device moves."),
        (("waitingSignificantChange → acquiring", "prompted → acquiring"), "is not in prompted here, but in waitingSignificantChange."),
        (("(lookDue)", "(coffee)"), "has no event coffee."),
        (("waitingSignificantChange →", "<b>asleep</b> →"), "has no state <b>asleep</b>."),
    ]:
        changed = lines.copy()
        changed[at] = changed[at].replace(*change)
        name = "<img src=x onerror=alert(1)>.jsonl"
        shown = drop(driver, (name, "\n".join(changed) + "\n"))
        recorded = re.search(r"(\S+ → \S+ \(\w+\))", changed[at])[1]
        if not shown["differences"] or shown["differences"][0] != f"{name}, line {at + 1}: recorded {recorded}. The machine {awaited}":
            fail(f"with {change} the page says {shown['differences'][:2]}")
        if not shown["isWrong"] or "would not make" not in shown["said"]:
            fail(f"with {change} the page says {shown['said']!r}")
        driver.execute_script("document.querySelector('#differences button').click()")
        shown = driver.execute_script(SHOWN)
        if shown["line"] != at + 1 or awaited not in shown["step"]:
            fail(f"with {change} the button leads to {shown}")
        if driver.execute_script(WALK, "forward")[-1]["state"] != read(texts[:1])[-1][3]:
            fail(f"with {change} the page doesn't play the rest")
        if driver.find_elements(By.CSS_SELECTOR, "img, b"):
            fail("a file's name or text becomes an element of the page")

    # Missing lines are no difference, nor is the start of a file that continues a deleted one.
    acquired = next(number for number, line in enumerate(lines) if "(acquired)" in line)
    holes = lines[:acquired] + ['{"d":0,"is":"lost","t":0,"count":3}'] + lines[at:]
    continued = ['{"d":799527700,"format":1,"is":"continues","t":1}'] + lines[at - 1 :]
    for text in ["\n".join(holes), "\n".join(continued)]:
        shown = drop(driver, ("hole.jsonl", text + "\n"))
        if shown["isWrong"] or shown["differences"]:
            fail(f"the page says of missing lines: {shown}")
    if driver.execute_script(WALK, "back")[-1]["state"] != "waitingSignificantChange":
        fail("the first state isn't the source of the first transition")

    # An unreadable line ends the recording, with a message.
    shown = drop(driver, ("torn.jsonl", "\n".join(lines[:at] + ["nonsense"] + lines[at:]) + "\n"))
    if not shown["isOpen"] or not shown["isWrong"] or f"torn.jsonl, line {at + 1}: this is not a line of a journal" not in shown["said"]:
        fail(f"the page says of an unreadable line: {shown['said']!r}")

    # The page refuses other files with a message.
    click(driver, "close")
    for text, reason in [
        ("", "empty.txt: there is no launch and no transition in it."),
        ("nonsense", "line 1: this is not a line of a journal or a log: it is not JSON."),
        ("\n\n[]\n", "line 3: this is not a line of a journal or a log."), ("7\n", "not a line of a journal or a log."),
        ("null\n", "not a line of a journal or a log."), ('{"t":"1","is":"do","text":""}\n', "not a line of a journal or a log."),
        ('{"t":1,"is":"timer","d":0}\n', "there is no launch and no transition in it."),
        ('{"t":-1,"is":"timer","d":0}\n', "line 1: the time t is negative."),
        ('{"t":1,"is":"launch","format":99,"d":0}\n', "line 1: the format is 99, and this page reads 1."),
        ('{"t":1,"is":"launch","d":0}\n', "line 1: the format is not named, and this page reads 1."),
        ('{"t":1,"is":"do","d":0}\n', "line 1: a line of the kind do has no text."),
        ('{"t":1,"type":"transition","from":"init"}\n', "line 1: the transition lacks from, event or to."),
        ('{"t":1,"type":"location"}\n', "there is no launch and no transition in it."),
        ("\0\x01\ufffd" * 1000, "not a line of a journal or a log: it is not JSON."),
        ("[" * 300_000 + "\n", "not a line of a journal or a log: it is not JSON."),
        ("x" * 4_000_001, "line 1: the line is too long for a journal or a log."),
    ]:
        shown = drop(driver, ("empty.txt", text))
        if shown["isOpen"] or not shown["isWrong"] or not shown["said"].endswith(reason):
            fail(f"the page says of {text[:50]!r}: {shown['said']!r}, and not {reason!r}")
    driver.execute_script(
        "const data = new DataTransfer(); data.items.add(new File([new Uint8Array(50_000_001)], 'large.jsonl'));"
        "document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));")
    if driver.execute_script(SHOWN)["said"] != "The page takes 50 MB at most, and this has 51 MB.":
        fail(f"the page says of 50,000,001 bytes: {driver.execute_script(SHOWN)['said']!r}")
    # Without a valid date, the page shows only the time since the launch.
    shown = drop(driver, ("far.jsonl", '{"t":1,"is":"launch","format":1,"d":1e300}\n{"t":2,"is":"do","d":"nan","text":""}\n'))
    if not shown["isOpen"] or shown["time"] != "0:00:00.0":
        fail(f"without a date the page shows {shown['time']!r}")

    # At each width, the text is readable and the page isn't wider than the window.
    for width in [360, 500, 1440]:
        size(driver, width, 900)
        for machine in machines:
            Select(driver.find_element(By.ID, "machine")).select_by_visible_text(machine)
            label, smallest = driver.execute_script(LABELS), driver.execute_script(SMALLEST)
            # A wide window shows the whole picture of the largest machine, so its labels may be smaller. In a narrow one, the picture scrolls.
            if label < (11 if width < 1200 else 10) or smallest < 11:
                fail(f"{machine} at a width of {width}: a label has {label:.1f} pixels, and a text {smallest:.1f}")
            print(f"{machine} at {width} pixels: labels of {label:.1f} pixels and more")
            if driver.execute_script("return document.documentElement.scrollWidth > innerWidth"):
                fail(f"{machine} at a width of {width}: the page is wider than the screen")
            # The page gets its new width in the next frame.
            wait(driver, f"{machine} at a width of {width}: the state isn't visible", lambda _: driver.execute_script(INSIDE))
        drop(driver, *texts)
        for _ in range(12):
            if not driver.execute_script(INSIDE):
                fail(f"at a width of {width}: an entered state isn't visible")
            click(driver, "forward")
        if driver.execute_script("return document.documentElement.scrollWidth > innerWidth"):
            fail(f"at a width of {width}: the page with a journal is wider than the screen")

    # The console is empty, and the page has requested only itself.
    said = driver.get_log("browser")
    if said:
        fail(f"the console says {said}")
    sent = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = {entry["params"]["request"]["url"] for entry in sent if entry["method"] == "Network.requestWillBeSent"}
    if {url.split("#")[0] for url in asked} - {page.as_uri(), "about:blank"}:
        fail(f"the page requests {asked}")
    if page.as_uri() not in asked:
        fail("the requests aren't logged")
    print("the page plays the journal and the log, refuses other files, and requests nothing")
