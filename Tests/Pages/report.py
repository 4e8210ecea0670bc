"""Opens each report in Chromium, in light and dark mode and at a phone's width, and compares its figures with the JSON."""

import contextlib
import json
import pathlib
import re
import sys

from axe_selenium_python import Axe
from browser import chromium
from common import fail
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

WIDE, PHONE = (1440, 980), (390, 844)
NOW = "return Object.fromEntries([...document.querySelectorAll('#now dd')].map(each => [each.id.slice(4), each.innerText]))"
DRAWN = "return [...document.querySelectorAll('.view canvas + canvas')].map(canvas => canvas.toDataURL())"
ERRORS = """
const slider = document.getElementById("slider"), found = [];
for (let second = 1; second <= Number(slider.max); second++) {
  slider.value = second;
  slider.dispatchEvent(new Event("input"));
  found.push(document.getElementById("now-error").textContent);
}
return found;
"""
REFUSED = """
const done = arguments[0];
document.addEventListener("securitypolicyviolation", event => done(event.effectiveDirective));
fetch("http://127.0.0.1:9/").catch(() => {});
"""


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ")


def number(text):
    """Returns the first number in a text."""
    return float(re.search(r"-?[0-9]+(\.[0-9]+)?", text).group())


def seconds(clock):
    hours, minutes, rest = clock.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + int(rest)


class Page:
    def __init__(self, driver, folder, name, size, scheme):
        self.driver, self.width = driver, size[0]
        self.name = f"{name}, {size[0]} px, {scheme}"
        driver.get("about:blank")
        driver.get_log("browser")
        driver.get_log("performance")
        phone = {"width": size[0], "height": size[1], "deviceScaleFactor": 2, "mobile": size is PHONE}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        self.link = pathlib.Path(folder, f"{name}.html").resolve().as_uri()
        driver.get(self.link)

    def fail(self, message):
        fail(f"the report {self.name}: {message}")

    def check(self, condition, message):
        if not condition:
            self.fail(message)

    def now(self):
        return {key: plain(text) for key, text in self.driver.execute_script(NOW).items()}

    def time(self):
        return seconds(self.now()["time"].split(" ")[0])

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def is_alone(self):
        """Checks that the page requests no other file and writes nothing to the console."""
        said = self.driver.get_log("browser")
        self.check(not said, f"the console has {said}")
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        asked = [each["params"]["request"]["url"] for each in events if each["method"] == "Network.requestWillBeSent"]
        self.check(set(asked) <= {self.link, "about:blank"}, f"it requests {asked}")

    def fits(self):
        # A phone shrinks a page that is too wide, and the window's inner width grows. So the width is compared with the phone's.
        wide = self.driver.execute_script("return document.documentElement.scrollWidth")
        self.check(wide <= self.width, f"it is {wide} px wide, in a window of {self.width}")

    def is_accessible(self):
        axe = Axe(self.driver)
        axe.inject()
        found = axe.run(options={"resultTypes": ["violations"]})["violations"]
        serious = [
            (each["id"], each["impact"], each["help"], [node["html"] for node in each["nodes"]][:3])
            for each in found
            if each["impact"] in ("serious", "critical")
        ]
        self.check(not serious, f"axe finds {serious}")
        return len(found)

    def has_summary(self, summary):
        def check(key, value):
            cells = self.driver.find_elements(By.CSS_SELECTOR, f'[data-key="{key}"]')
            self.check(len(cells) == 1, f"{key} is there {len(cells)} times")
            text = plain(cells[0].text)
            if value is None:
                self.check(text in ("unknown", "none"), f"{key} is unknown, and shown as {text}")
                return
            if isinstance(value, list):
                ends = [number(part) for part in text.split("–")]
                self.check(len(ends) == 2 and max(abs(a - b) for a, b in zip(ends, value)) <= 0.005, f"{key} is {value}, shown as {text}")
                return
            if isinstance(value, str):
                self.check(value in text, f"{key} is {value}, and shown as {text}")
                return
            shown = number(text.split("(")[-1]) / (100 if "Share" in key or key == "coverage" else 1)
            tolerance = 0.005 if key == "percentPerHour" else 1e-6  # The page shows two decimals.
            self.check(abs(shown - value) <= tolerance, f"{key} is {value}, and shown as {text}")

        # The page has no rows for these keys, and if the power is unknown, none for the power and the time kept running.
        unshown = {"wakeOutcomes", "energyProfile", "phone"}
        if summary.get("milliwatts") is None:
            unshown |= {"milliwatts", "percentPerHour", "percentPerHour13ProMax", "keptRunningShare"}
        for key, value in summary.items():
            if key in ("looks", "rejections"):
                check(key, sum(value.values()))
            if isinstance(value, dict):
                for part, inner in value.items():
                    check(f"{key}.{part}", inner)
            elif key not in unshown:
                check(key, value)

    def cursor_moves_both(self):
        before, drawn = self.now(), self.driver.execute_script(DRAWN)
        self.check(before["time"].startswith("0:00:00"), f"it begins at {before['time']}")
        # Elsewhere, the key scrolls the page.
        self.keys(Keys.END)
        self.check(self.now()["time"] == before["time"], "the key End moves the cursor from outside the player")
        self.driver.execute_script("document.getElementById('slider').focus()")
        self.keys(Keys.END)
        after, moved = self.now(), self.driver.execute_script(DRAWN)
        end = after["time"].split()
        self.check(end[0] == end[2], f"the end is {after['time']}")
        self.check(before != after and len(drawn) == 2, f"nothing changes: {after}")
        for index, view in enumerate(("map", "timeline")):
            self.check(drawn[index] != moved[index], f"the cursor does not move on the {view}")
        text = self.driver.find_element(By.ID, "slider").get_attribute("aria-valuetext")
        self.check(text.startswith(end[0]) and len(text) > len(end[0]) + 3, f"the slider says {text}")
        self.keys(Keys.HOME, ".", ".", ".", ",")
        self.check(self.time() == 2, f"keys for seconds lead to {self.time()}")
        self.keys(Keys.HOME, Keys.ARROW_RIGHT)
        step = self.time()
        self.check(step > 0, "the arrow keys do not move it")
        ActionChains(self.driver).key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT).key_up(Keys.SHIFT).perform()
        self.check(self.time() == 11 * step, f"ten steps of {step} s lead to {self.time()}")
        # The slider has the same keys.
        self.driver.execute_script("document.getElementById('slider').focus()")
        self.keys(Keys.ARROW_LEFT)
        self.check(self.time() == 10 * step, f"the slider's key leads to {self.time()}")

    def plays(self):
        self.driver.execute_script("document.getElementById('slider').focus()")
        self.keys(Keys.HOME, " ")
        WebDriverWait(self.driver, 10, 0.02).until(lambda _: self.time() > 0)
        self.keys(" ")
        button = self.driver.find_element(By.ID, "play")
        self.check("Play" in button.text, f"it is paused, and the button says {button.text}")
        stopped = self.driver.execute_script(NOW)
        self.driver.execute_async_script("setTimeout(arguments[0], 100)")
        self.check(self.driver.execute_script(NOW) == stopped, "it does not pause")
        button.send_keys(Keys.ENTER)
        self.check("Pause" in button.text, "Enter does not press the button")
        button.send_keys(Keys.ENTER)

    def tabs(self):
        """Checks that the Tab key reaches each visible control of the playback."""
        wanted = set(self.driver.execute_script(
            "return [...document.querySelectorAll('#playback :is(button, input, select, summary)')].filter(each => each.checkVisibility()).map("
            "(each, index) => each.dataset.tab = String(index))"))
        self.driver.execute_script("document.activeElement.blur(); scrollTo(0, 0)")
        for _ in range(len(wanted) + 4):
            self.keys(Keys.TAB)
            wanted.discard(self.driver.execute_script("return document.activeElement.dataset.tab ?? ''"))
        self.check(not wanted, f"Tab does not reach {wanted}")

    def looks(self, summary):
        button = self.driver.find_element(By.ID, "more")
        if button.is_displayed():
            button.click()
        rows = self.driver.find_elements(By.CSS_SELECTOR, "#looks tbody tr")
        self.check(len(rows) == sum(summary["looks"].values()), f"{len(rows)} looks are listed")
        if not rows:
            return
        self.driver.execute_script("document.getElementById('slider').focus()")
        self.keys(Keys.HOME, "n")
        first = rows[0].find_element(By.TAG_NAME, "button")
        self.check(self.time() == seconds(first.text), f"the next look is at {self.time()}, and listed as {first.text}")
        rows[-1].find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
        last = rows[-1].find_element(By.TAG_NAME, "button").text
        self.check(self.time() == seconds(last), f"{last} leads to {self.time()}")
        self.check(self.now()["state"].startswith("acquiring"), f"a look begins with {self.now()}")

    def has_errors(self, summary):
        """Compares the errors at the cursor, one for each second, with the summary."""
        texts = [plain(text) for text in self.driver.execute_script(ERRORS) if text != "unknown"]
        errors = sorted(number(text) * (1_000 if "km" in text else 1) for text in texts)
        for key, place in (("medianErrorMeters", len(errors) // 2), ("p95ErrorMeters", len(errors) * 95 // 100)):
            if summary[key] < 9_000:
                # The first and the last error may be only on the page or only in the summary.
                near = errors[max(0, place - 2) : place + 3]
                self.check(near[0] - 3 < summary[key] < near[-1] + 3, f"{key} is {near}, and {summary[key]} in the JSON")

    def has_comparison(self, comparison):
        rows = [row for row in comparison["policies"] if row["p95ErrorUnderWayMeters"] and row["gpsOnShare"]]
        points = self.driver.find_elements(By.CSS_SELECTOR, '#frontier [role="radio"]')
        self.check(len(points) == len(rows), f"{len(points)} points for {len(rows)} policies")

        def shown(row):
            error = row["estimateP95ErrorMeters" if row["isForEstimate"] else "p95ErrorUnderWayMeters"]
            return f"{row['gpsOnShare'] * 100:.1f} %", f"{error:.0f} m"

        def is_chosen(row):
            text = plain(self.driver.find_element(By.ID, "chosen").text)
            label = plain(self.driver.switch_to.active_element.get_attribute("aria-label") or "no label")
            for part in (row["policy"], *shown(row)):
                self.check(part in text and part in label, f"{row['policy']} is chosen: {text} {label}")

        # Begins at the policy that is chosen at first, and steps through all policies until that one is chosen again.
        first = next(index for index, row in enumerate(rows) if row["phone"] == "background" and row["boundMeters"])
        self.driver.execute_script("document.querySelector('#frontier [tabindex=\"0\"]').focus()")
        for turn in range(len(rows)):
            is_chosen(rows[(first + turn) % len(rows)])
            self.keys(Keys.ARROW_RIGHT)
        is_chosen(rows[first])
        ActionChains(self.driver).click(self.driver.find_element(By.CSS_SELECTOR, '#frontier [aria-label^="every 60 s"] path')).perform()
        is_chosen(next(row for row in rows if row["policy"] == "every 60 s"))
        marked = [row.text.split("\n")[0] for row in self.driver.find_elements(By.CSS_SELECTOR, "tr.chosen")]
        self.check(len(marked) == 1 and marked[0].startswith("every 60 s"), f"the marked rows are {marked}")
        tables = plain(self.driver.find_element(By.ID, "policies").text + self.driver.find_element(By.ID, "sources").text)
        for row in rows:
            share, error = shown(row)
            # The row of a bounded estimate shows the error of the estimate.
            if row["isForEstimate"]:
                error = f"{row['estimateP95ErrorMeters']:.0f} m"
            for part in (share, error):
                self.check(part in tables, f"{row['policy']}: {part} is in no table")

    def refuses_the_network(self):
        refused = self.driver.execute_async_script(REFUSED)
        self.check(refused == "connect-src", f"the request was refused by {refused}, not by connect-src")


folder = pathlib.Path(sys.argv[1])


def read(name):
    path = folder / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


with contextlib.ExitStack() as stack:
    driver = stack.enter_context(chromium(logs={"browser": "ALL", "performance": "ALL"}))
    for name in sys.argv[2:]:
        values, minor = read(name), 0
        for size in (WIDE, PHONE):
            for scheme in ("light", "dark"):
                page = Page(driver, folder, name, size, scheme)
                page.fits()
                if name == "compare":
                    page.has_comparison(values)
                else:
                    page.cursor_moves_both()
                page.is_alone()
                minor = max(minor, page.is_accessible())
        if name != "compare":
            page = Page(driver, folder, name, WIDE, "light")
            page.plays()
            page.tabs()
            if values:
                page.has_summary(values)
                page.looks(values)
            if values and values["p95ErrorMeters"] and name != "day":
                page.has_errors(values)
            if name == "replay":
                page.check("error" not in page.now(), "it shows errors, but a journal has no true positions")
                note = page.driver.find_element(By.TAG_NAME, "header").text
                page.check("there are no errors" in note, f"it does not say that there are none: {note}")
            page.is_alone()
        page.refuses_the_network()
        print(f"the report agrees: {name}" + (f" ({minor} minor findings of axe)" if minor else ""))
