"""Lets time pass on the page of the machines, copies the steps as a test, steps through a log of another machine, and opens a large machine.

usage: clock.py PAGE-OF-THE-LIGHT PAGE-OF-A-LARGE-MACHINE FILE-OF-THE-COPIED-TEST
"""

import pathlib
import sys
import time

from browser import chromium
from selenium.webdriver.support.ui import WebDriverWait

from common import fail

page, large, copied = (pathlib.Path(name).resolve() for name in sys.argv[1:])
SHOWN = """
const text = id => document.getElementById(id).textContent;
return { state: text("now-state"), time: text("now-time"), due: text("due"), isDue: !document.getElementById("due").disabled, hash: location.hash,
  log: [...document.querySelectorAll("#log li")].map(entry => entry.textContent), said: text("said") }
"""
DROP = """
const data = new DataTransfer();
data.items.add(new File([arguments[0]], "log.jsonl"));
document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
"""

with chromium() as driver:

    def expect(what, **wanted):
        shown = driver.execute_script(SHOWN)
        if any(shown[name] != value for name, value in wanted.items()):
            fail(f"{what}: {shown}, and not {wanted}")

    def click(selector):
        driver.execute_script("document.querySelector(arguments[0]).click()", selector)

    def begin(link):
        driver.get("about:blank")
        driver.get(link)

    begin(f"{page.as_uri()}#light")
    # Four deadlines pass in two seconds: each has its own time.
    driver.execute_script("document.getElementById('seconds').value = '2'")
    click("#wait button")
    expect("after two seconds", state="flashing", time="0:00:02", due="To the deadline, in 0:00:00.500", hash="#light,+2")
    times = [entry.split(" at ")[1].split(",")[0] for entry in driver.execute_script(SHOWN)["log"]]
    if times != ["0:00:02", "0:00:01.500", "0:00:01", "0:00:00.500"]:
        fail(f"the deadlines passed at {times}")
    click("[data-event=turnOn]")
    click("[data-wait='1']")
    expect("a second after red", state="red", time="0:00:03", due="To the deadline, in 0:00:29")
    # An internal transition doesn't restart the deadline.
    click("[data-event=button]")
    expect("after an internal transition", state="red", due="To the deadline, in 0:00:29")
    click("#due")
    expect("at the deadline", state="green", time="0:00:32", hash="#light,+2,turnOn,+1,button,+29")
    click("#undo")
    expect("a wait is undone with its deadline", state="red", time="0:00:03", hash="#light,+2,turnOn,+1,button")
    # A link leads to the same steps.
    begin(f"{page.as_uri()}#light,turnOn,button,+31,button,turnOff")
    expect("from a link", state="flashing", time="0:00:31")
    # A wait without end and one of nothing are refused.
    for seconds in ["0", "-1", "1e12", ""]:
        driver.execute_script("document.getElementById('seconds').value = arguments[0]; wait(Number(arguments[0]))", seconds)
        expect(f"a wait of {seconds!r} s", state="flashing", time="0:00:31")
    driver.execute_script("wait(999_999_999)")
    # The page lists the newest 200 steps, and the number of the others.
    if driver.execute_script("return history.length") != 5 + 1_000:
        fail("a wait of 31 years fires more or fewer than 1,000 deadlines")
    if driver.execute_script(SHOWN)["log"][-1] != "and 805 earlier steps":
        fail("the log doesn't say how many steps it leaves out")
    expect("after the limit, the time in the state starts again", state="flashing", due="To the deadline, in 0:00:00.500")
    click("#undo")
    expect("a long wait is undone", state="flashing", time="0:00:31")
    # Three letters: the steps are a test, which the package compiles and runs.
    begin(f"{page.as_uri()}#light,turnOn,turnOn,button,+31,button,turnOff")
    text = driver.execute_script("return test()")
    if not copied.read_text(encoding="utf-8").endswith("\n" + text):
        fail(f"{copied} doesn't end with the test that the page copies:\n{text}")
    # A machine without deadlines has no clock.
    begin(f"{page.as_uri()}#nasty")
    if driver.execute_script("return !document.getElementById('clock').hidden"):
        fail("a machine without deadlines has a clock")

    # A log of a machine, as JSONEncoder writes its transitions, without times and with a transition that the machine doesn't make.
    begin(page.as_uri())
    lines = ['{"from":"flashing","event":"turnOn","to":"red"}', '{"event":"timeOver","to":"green","from":"red"}',
             '{"from":"green","event":"button","to":"red"}', '{"from":"flashing","event":"turnOn","to":"red"}']
    driver.execute_script(DROP, "\n".join(lines) + "\n")
    WebDriverWait(driver, 30, 0.01).until(lambda driver: "launch" in driver.execute_script(SHOWN)["said"])
    shown = driver.execute_script(SHOWN)
    if shown["said"] != "2 launches, 4 transitions: the machine would not make 1 of them." or shown["hash"] != "#light":
        fail(f"the page says of a log of the light: {shown}")

    # A machine with 40 states and 30 events.
    driver.get("about:blank")
    before = time.monotonic()
    driver.get(large.as_uri())
    WebDriverWait(driver, 30, 0.01).until(lambda driver: driver.find_elements("css selector", "#picture .current"))
    print(f"a machine with 1,200 pairs is shown {time.monotonic() - before:.2f} s after its page was opened")
    labels = driver.execute_script("""
    return [...document.querySelectorAll("#picture text")].map(text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)""")
    if min(labels) < 10 or not driver.execute_script("return document.getElementById('around').checked"):
        fail(f"the labels of a large machine have {min(labels):.1f} pixels")
    errors = [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
    if errors:
        fail(f"the pages say {errors}")
    print("the page lets time pass, copies a test, and plays a log")
