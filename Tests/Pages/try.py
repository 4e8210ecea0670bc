"""Compares the drives of StateDiagrams/try.html with those of LocoKitDemo, and tests the page's controls.

usage: try.py FOLDER DEMO [--long]
"""

import base64
import datetime
import json
import pathlib
import random
import subprocess
import sys

from axe_selenium_python import Axe
from browser import chromium
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

work, demo, is_long = pathlib.Path(sys.argv[1]), sys.argv[2], "--long" in sys.argv
page = pathlib.Path("StateDiagrams/try.html").resolve().as_uri()
DRIVE = """
const [way, phone, bound, seed, faults] = arguments;
++newest;
const bytes = typeof way === "number" ? null : new TextEncoder().encode(way);
const set = bytes ? pass("setFile", bytes, bytes.length, 0) : read(wasm.setBuiltIn(way));
if (set.error) return set;
wasm.beginDrive(phone, bound, seed, faults);
wasm.drive(1e9);
return { ...read(wasm.figures()), notes: set.notes };
"""


def gpx(generator):
    """Returns a random GPX track, usually of a few hours at most, with pauses, gaps, malformed XML and points that a reader drops."""
    time = datetime.datetime(2026, 5, 3, 19, tzinfo=datetime.timezone.utc)
    latitude, longitude = generator.uniform(-60, 60), generator.uniform(-179.9, 179.9)
    north, east, lines = 0.0, 0.0, []
    for _ in range(generator.randint(200, 900)):
        north, east = 0.9 * north + generator.gauss(0, 1e-4), 0.9 * east + generator.gauss(0, 1e-4)
        latitude, longitude = latitude + north, longitude + east
        chance = generator.random()
        time += datetime.timedelta(seconds=generator.choice([300, 1800]) if chance < 0.01 else 5)
        stamp = f"<time>{time.isoformat().replace('+00:00', generator.choice(['Z', '', '+00:00', '.25Z', ',5Z', ' Z']))}</time>"
        stamp = generator.choice(["", "<time>soon</time>", "<time>1970-01-01 00:00</time>", stamp + "a & b < c<br>"]) if chance > 0.98 else stamp
        bad = ' lat="x"' if chance > 0.99 else f' lat="{latitude:.6f}"'
        lines.append(f'<trkpt{bad} lon="{longitude:.6f}"><ele>{generator.uniform(0, 900):.1f}</ele>{stamp}</trkpt>')
    middle = len(lines) // 2
    return ('<?xml version="1.0"?><gpx xmlns="http://www.topografix.com/GPX/1/1" version="1.1"><trk><trkseg>' + "\n".join(lines[:middle])
            + "</trkseg><trkseg>" + "\n".join(lines[middle:]) + "</trkseg></trk></gpx>")


def notes(output):
    """Returns the notes about a file that the demo prints."""
    return [line.removeprefix("note: ") for line in output.splitlines() if line.startswith("note: ")]


def check(condition, message):
    if not condition:
        sys.exit(f"try.html: {message}")


def phones(driver):
    """Returns the names of the phones, in the module's order."""
    return driver.execute_script("return phones.map(phone => phone.name)")


def shown_code(driver):
    """Writes the code that the page shows for each phone with and without a bound: an app's to app-N.swift, a test to test-N.swift."""
    for number, (phone, bound) in enumerate((phone, bound) for phone in phones(driver) for bound in (6, 14)):
        driver.execute_script("$('phone').value = arguments[0]; $('bound').value = arguments[1]; update()", phone, bound)
        wait(driver)
        (work / f"app-{number}.swift").write_text(text(driver, "settings-code"))
        (work / f"test-{number}.swift").write_text(text(driver, "test-code"))


def compare(driver, count):
    """Simulates drives in both programs, and compares every figure."""
    names = phones(driver)
    for number in range(count):
        generator = random.Random(number)
        way = generator.choice([0, 1, "gpx", "gpx"])
        phone = generator.choice(names)
        bound = generator.choice([None, 100, 137.5, 250, 500, 1000, 2500, 5000])
        seed, faults = generator.randint(1, 1_000_000), generator.choice(["none", "none", "some", "many"])
        words = ["drive", "--json", "--phone", phone, "--seed", str(seed), "--faults", faults]
        if bound:
            words += ["--within", str(bound)]
        if way == "gpx":
            way = gpx(generator)
            (work / "way.gpx").write_text(way)
            words += ["--gpx", str(work / "way.gpx")]
        elif way == 1:
            words += ["--route", "day"]
        done = subprocess.run([demo, *words], check=True, capture_output=True, text=True)
        native = json.loads(done.stdout) | {"notes": notes(done.stderr)}
        shown = driver.execute_script(DRIVE, way, names.index(phone), bound or 0, seed, ["none", "some", "many"].index(faults))
        different = {key: (native.get(key), shown.get(key)) for key in native.keys() | shown.keys() if native.get(key) != shown.get(key)}
        if different:
            sys.exit(f"drive {number} differs (the number is the seed of its settings): {' '.join(words)}: {different}")
    print(f"{count} drives are equal to LocoKitDemo's in every figure")


def read_alike(driver):
    """Compares what both programs say of recorded and damaged files, where these exist."""
    files = [file for folder in ("reports", "nasty", "tracks") for file in sorted(pathlib.Path("../shared/traces", folder).glob("*.gpx"))]
    for file in files:
        done = subprocess.run([demo, "drive", "--json", "--gpx", str(file)], capture_output=True, text=True)
        shown = driver.execute_script(
            "const bytes = Uint8Array.from(atob(arguments[0]), text => text.charCodeAt(0)); return pass('setFile', bytes, bytes.length, 0)",
            base64.b64encode(file.read_bytes()).decode())
        if "at most 7 are read" in shown.get("error", ""):
            continue
        if "error" in shown:
            check(shown["error"].split(": ", 1)[-1] in done.stderr, f"{file.name}: {shown['error']}, and in the demo: {done.stderr}")
        else:
            check(shown["notes"] == notes(done.stderr), f"{file.name}: {shown['notes']}, and in the demo: {done.stderr}")
            duration = json.loads(done.stdout)["durationSeconds"]
            check(abs(shown["seconds"] - duration) <= 1, f"{file.name}: {shown['seconds']} s, and in the demo {duration} s")
    print(f"{len(files)} files are read as in LocoKitDemo")


def wait(driver):
    WebDriverWait(driver, 60).until(lambda driver: driver.execute_script("return document.body.dataset.isDone == newest && newest > 0"))


def text(driver, id):
    return driver.find_element(By.ID, id).text


def use(driver):
    """Uses the page's controls with the keyboard and the pointer."""
    wait(driver)
    for element in driver.find_elements(By.CSS_SELECTOR, "input, select, button, canvas[role=img], [tabindex='0']"):
        check(not element.is_displayed() or element.accessible_name, f"an element has no name: {element.get_attribute('outerHTML')[:120]}")
    driver.execute_script("for (const each of document.querySelectorAll('details')) each.open = true")
    rows = {row.find_element(By.TAG_NAME, "th").text: row.text for row in driver.find_elements(By.CSS_SELECTOR, "#costs tbody tr")}
    for name in ("bound 250 m", "bound 1000 m", "no bound: significant changes only", "100 m updates, always on", "GPS, always on"):
        check(name in rows and "…" not in rows[name], f"the costs have no {name}: {rows}")
    # The answer beside the slider is that of the table, for a day, and of the first screen at each width.
    answer, (own,) = text(driver, "answer"), [row for name, row in rows.items() if name.endswith("← yours")]
    percent = 24 * float(own.removeprefix("bound 500 m ← yours").split()[0])
    check(abs(float(answer.split(" %")[0]) - percent) < max(0.1, percent / 50), f"the answer is {answer}, and the table has {own}")
    check("battery in 24 hours like this route, with 500 m" in answer and "Within it for " in answer and "95 % of the errors under " in answer and "GPS always on: " in answer, answer)
    for width in (390, 1024, 1440):
        driver.set_window_size(width, 900)
        inside = "const box = $('answer').getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight + 1"
        check(driver.execute_script(inside), f"the answer isn't on the first screen at a width of {width}")
        hit = "$('map').scrollIntoView({ block: 'end' }); const box = $('play').getBoundingClientRect(); " \
            + "return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)?.id"
        check(driver.execute_script(hit) == "play", f"Play is covered by {driver.execute_script(hit)} at a width of {width}")
        driver.execute_script("scrollTo(0, 0)")
    before, figures = text(driver, "bound-text"), text(driver, "summary")
    circle = "return document.querySelector('#curve circle.own').getAttribute('cx')"
    place = driver.execute_script(circle)
    check(driver.execute_script("return document.querySelectorAll('#curve circle').length") == 6, "the curve hasn't a point for each bound")
    movement = driver.execute_script("return [shown.cursor.time, shown.record.dwelling[0][1]]")
    check(movement[0] == movement[1] > 0, f"the cursor isn't at the first movement: {movement}")
    stops = "let stops = 0; for (const each of document.querySelectorAll('button, input, select, summary, a, [tabindex]')) {"
    stops += " if (each.id === 'play') return stops; if (each.checkVisibility() && !each.disabled && each.tabIndex >= 0) stops += 1; }"
    check(driver.execute_script(stops) <= 16, f"{driver.execute_script(stops)} controls precede Play")
    driver.find_element(By.ID, "bound").send_keys(Keys.ARROW_RIGHT)
    wait(driver)
    check(text(driver, "bound-text") != before and text(driver, "summary") != figures, "the slider changes nothing")
    driver.execute_script("document.querySelector('#curve circle').dispatchEvent(new Event('click'))")
    wait(driver)
    check(text(driver, "bound-text") == "100 m", "a press on a point of the curve doesn't choose its bound")
    check(driver.execute_script(circle) != place, "the chosen point of the curve doesn't move")
    check(text(driver, "answer") != answer and text(driver, "bound-text") in text(driver, "answer"), "the answer doesn't follow the slider")
    check(f"manager.errorBound = {text(driver, 'bound-text').split()[0]}" in text(driver, "settings-code"), "the code has another bound")

    # Steps from look to look, and checks the look's reason, the state, and the link that opens the transition on the page of the machines.
    states = set()
    for _ in range(12):
        driver.find_element(By.ID, "next").click()
        states.add(driver.execute_script("return document.querySelector('#machine .current text').textContent.trim()"))
        look = text(driver, "now-look")
        check((" The GPS was on for " in look or look.endswith("The GPS is on.")) and len(look) > 60, f"a look has no reason or result: {look}")
        check(driver.execute_script("return document.querySelectorAll('#machine .taken').length") == 1, "no transition is highlighted")
    link = driver.find_element(By.CSS_SELECTOR, "#transition a").get_attribute("href")
    check("acquiring" in states and "index.html#location,tryPrompt" in link, f"{states} {link}")

    # Adds the places of a route with the keyboard.
    driver.execute_script("$('way').value = 'own'; $('way').dispatchEvent(new Event('change'))")
    check("first place" in text(driver, "hint"), "an empty route has no explanation")
    for _ in range(3):
        driver.find_element(By.ID, "add").send_keys(Keys.ENTER)
    wait(driver)
    check(len(driver.find_elements(By.CSS_SELECTOR, "#places li")) == 3 and not text(driver, "problem"), "places can't be added by key")
    stay = driver.find_element(By.CSS_SELECTOR, "#places input")
    stay.send_keys(Keys.CONTROL + "a", Keys.NULL, "30", Keys.TAB)
    wait(driver)
    check("pause: .seconds(1800), isIndoors: true" in text(driver, "test-code"), "the test doesn't have the stay")
    focused = "return document.activeElement.dataset.control"
    check(driver.execute_script(focused) == "mode 0", f"Tab leads from the minutes to {driver.execute_script(focused)}")
    # A press on a button of the list also ends the edit of a number.
    driver.find_element(By.CSS_SELECTOR, "[data-control='stay 0']").send_keys(Keys.CONTROL + "a", Keys.NULL, "31")
    driver.find_element(By.CSS_SELECTOR, "[data-control='remove 2']").click()
    wait(driver)
    check(driver.execute_script("return way.places.length") == 2, "a press on ✕ after an edit removes no place")
    check(driver.execute_script("return way.places[0].stay") == 31, "a press on ✕ loses the edit before it")
    check(driver.execute_script(focused) == "remove 1", f"after a removal the focus is on {driver.execute_script(focused)}")
    driver.execute_script("$('undo').click(); $('undo').click()")
    wait(driver)
    check(driver.execute_script("return way.places.length") == 3, "undo doesn't restore the place")
    # With the pointer, a press on the map adds a place. A press on its number chooses it.
    area = driver.find_element(By.ID, "map")
    driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", area)
    ActionChains(driver).move_to_element_with_offset(area, 90, -90).click().perform()
    wait(driver)
    check(len(driver.find_elements(By.CSS_SELECTOR, "#places li")) == 4, "a press on the map adds no place")
    driver.find_element(By.CSS_SELECTOR, "[data-control='place 3']").click()
    check(driver.find_elements(By.CSS_SELECTOR, "#places li.chosen"), "a press on a number doesn't choose its place")
    driver.find_element(By.CSS_SELECTOR, "[data-control='place 3']").click()
    check(not driver.find_elements(By.CSS_SELECTOR, "#places li.chosen"), "a second press on a number doesn't end the choice")
    for button, count in (("undo", 3), ("redo", 4), ("undo", 3)):
        driver.find_element(By.ID, button).click()
        wait(driver)
        check(len(driver.find_elements(By.CSS_SELECTOR, "#places li")) == count, f"{button} leaves another number of places than {count}")

    driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", area)
    # A press on a place leads there again, the arrow keys move a place, and the minutes of a leg set its speed.
    ActionChains(driver).move_to_element(area).move_by_offset(
        *driver.execute_script("""const box = $('map').getBoundingClientRect(); let at;
          const draw = editor.draw; editor.draw = (context, project) => { at = project; draw.call(editor, context, project); };
          shown.map.drawCursor(); editor.draw = draw; const [x, y] = at(way.places[0]); return [x - box.width / 2, y - box.height / 2];""")
    ).click().perform()
    wait(driver)
    check(len(driver.find_elements(By.CSS_SELECTOR, "#places li")) == 4, "a press on the first place doesn't lead back to it")
    check(driver.execute_script("return distance(way.places[0], way.places[3])") == 0, "the way back doesn't end at the first place")
    places = "return way.places.map(place => [place.lat, place.lon])"
    earlier = driver.execute_script(places)
    driver.find_element(By.CSS_SELECTOR, "[data-control='place 1']").send_keys(Keys.ARROW_UP, Keys.SHIFT, Keys.ARROW_RIGHT)
    wait(driver)
    check(not driver.find_element(By.ID, "redo").is_enabled(), "after an edit, redo would lose it")
    north, east = (driver.execute_script("return distance({ lat: arguments[0][0], lon: arguments[0][1] }, { lat: arguments[1][0], lon: arguments[1][1] })", *pair)
                   for pair in zip(([earlier[1][0], 0], [earlier[1][0], earlier[1][1]]),
                                   ([driver.execute_script(places)[1][0], 0], [earlier[1][0], driver.execute_script(places)[1][1]])))
    check(abs(north - 100) < 1 and abs(east - 1000) < 10, f"the arrow keys move a place by {north} and {east} m")
    minutes = driver.find_element(By.CSS_SELECTOR, "[data-control='minutes 0']")
    minutes.send_keys(Keys.CONTROL + "a", Keys.NULL, "60", Keys.TAB)
    wait(driver)
    hour = driver.execute_script("return distance(way.places[0], way.places[1]) / way.places[0].speed")
    check(abs(hour - 3600) < 1, f"a leg of 60 minutes takes {hour} s")

    # A route of one's own is there after a look at another one.
    for name, count in (("weekend", 11), ("own", 4)):
        driver.execute_script("$('way').value = arguments[0]; $('way').dispatchEvent(new Event('change'))", name)
        wait(driver)
        check(driver.execute_script("return way.places.length") == count, f"the route {name} hasn't {count} places")

    # The way back has the legs of the way there, after eight hours. A leg's kind is that of its length.
    driver.execute_script("$('clear').click()")
    driver.execute_script("for (const lon of [11, 11.01, 11.06, 11.2]) addPlace({ lat: 48, lon })")
    wait(driver)
    driver.find_element(By.ID, "back").click()
    wait(driver)
    legs = driver.execute_script("return way.places.map(({ lon, stay, mode }) => [lon, stay, mode])")
    check([leg[:2] for leg in legs] == [[11, 0], [11.01, 0], [11.06, 0], [11.2, 480], [11.06, 0], [11.01, 0], [11, 0]], f"the way back is {legs}")
    check([leg[2] for leg in legs[:6]] == ["walk", "bicycle", "car", "car", "bicycle", "walk"], f"the kinds of the legs are {legs}")
    # A time of departure is a stay from midnight on, and a ready route can follow.
    driver.execute_script("$('begins').value = '07:30'; $('begins').dispatchEvent(new Event('change'))")
    wait(driver)
    check(driver.execute_script("return [way.places[0].stay, $('begins').value]") == [450, "07:30"], "the time of departure isn't used")
    check(driver.find_element(By.CSS_SELECTOR, "#places .muted").text == "7:30", "the first place shows another time")
    driver.execute_script("$('then').value = 'weekend'; $('then').dispatchEvent(new Event('change'))")
    wait(driver)
    check(driver.execute_script("return [way.places.length, $('then').value]") == [18, ""], "a ready route doesn't follow")
    driver.execute_script("for (let undone = 0; undone < 8; undone += 1) $('undo').click()")
    wait(driver)

    # A reload, or a link with the places, shows the same route. A wrong link shows the first ready route.
    kept = driver.execute_script("return [location.hash, way.places.map(({ lat, lon, stay, mode }) => [lat.toFixed(4), lon.toFixed(4), stay, mode])]")
    driver.get("about:blank")
    driver.get(page + kept[0])
    wait(driver)
    shown = driver.execute_script("return way.places.map(({ lat, lon, stay, mode }) => [lat.toFixed(4), lon.toFixed(4), stay, mode])")
    check(shown == kept[1] and text(driver, "bound-text"), f"a link shows {shown} instead of {kept[1]}")
    for wrong in ("#x", "#91,0,0,car;1,1,1,car", "#1,1,1,boat", "#1,1,-1,car", "#1,1,1,car,0", "#" + ";".join(["1,1,1,car"] * 1001), "#1,1,1,__proto__"):
        driver.get("about:blank")
        driver.get(page + wrong)
        wait(driver)
        check(driver.execute_script("return $('way').value === 'commute' && way.places.length === 12"), f"the link {wrong[:30]} isn't refused")
    # A route that takes longer than a week has an error and no drive, also beside the bound, and its places can be pressed.
    driver.get("about:blank")
    driver.get(page + "#48,11,5,walk,0.1;-48,170,10080,walk")
    WebDriverWait(driver, 20).until(lambda _: not driver.execute_script("return $('problem').hidden"))
    driver.execute_script("editor.press(0)")
    check(driver.execute_script("return document.body.classList.contains('empty') && chosen === 0"), "a link with an error shows a drive")

    # The seed in the field is the drive's, and the copied code is indented.
    driver.get("about:blank")
    driver.get(page)
    wait(driver)
    driver.execute_script("$('seed').value = '2.7'; $('seed').dispatchEvent(new Event('change'))")
    wait(driver)
    check(driver.execute_script("return $('seed').value") == "3", "the seed isn't rounded")
    code = driver.execute_script("return $('test-code').textContent")
    check("\n  manager.errorBound = 500\n" in code and "\n    .init(latitude" in code, f"the copied test isn't indented: {code}")


def open_text(driver, name, content):
    file = work / name
    file.write_text(content)
    driver.find_element(By.ID, "gpx").send_keys(str(file))


def files(driver):
    """Checks that the page explains what is wrong with bad files, and that it reads a long file."""
    point = '<trkpt lat="{}" lon="{}"><time>{}</time></trkpt>'
    head, tail = "<gpx><trk><trkseg>", "</trkseg></trk></gpx>"
    for name, content, words in [
        ("cut.gpx", "<gpx>\n<trk>", "line 2: the file is cut off"), ("notes.gpx", "<html/>", "isn't GPX"), ("empty.gpx", "<gpx/>", "empty.gpx: there are no usable track points"),
        ("one.gpx", head + point.format(1, 1, "2026-05-03T19:00:00Z") + tail, "at least 2"),
        ("place.gpx", head + point.format(1, 1, "") * 3 + tail, "one place"),
        ("long.gpx", head + point.format(1, 1, "2026-05-03T19:00:00Z") + "".join(
            point.format(1 + day / 100, 1, f"2026-05-{3 + day:02}T19:00:00Z") for day in range(1, 10)) + tail, "at most 7"),
    ]:
        open_text(driver, name, content)
        WebDriverWait(driver, 10).until(lambda driver: words in text(driver, "problem"), f"{name}: {text(driver, 'problem')}")
    # A planned route asks for its speed.
    open_text(driver, "planned.gpx", head + point.format(48, 11, "") + point.format(48.09, 11, "") + tail)
    WebDriverWait(driver, 10).until(lambda driver: "10 km, 12 minutes" in text(driver, "way-note"), "a planned route isn't read")
    driver.execute_script("$('kind').value = 'walk'; $('kind').dispatchEvent(new Event('change'))")
    WebDriverWait(driver, 10).until(lambda driver: "10 km, 2.0 hours" in text(driver, "way-note"), "the speed of a planned route isn't used")
    wait(driver)
    check(driver.find_element(By.ID, "kind").is_displayed() and "file, speedWithoutTimes: 1.4" in text(driver, "test-code"), "the speed isn't asked")
    start = datetime.datetime(2026, 5, 3, tzinfo=datetime.timezone.utc)
    points = [point.format(48 + step * 1e-4, 11 + step % 7 * 1e-4, (start + datetime.timedelta(seconds=5 * step)).isoformat())
              for step in range(10_000)]
    open_text(driver, "way of 10,000 points.gpx", head + "".join(points) + tail)
    WebDriverWait(driver, 60).until(lambda driver: "13.9 hours" in text(driver, "way-note") and " km, " in text(driver, "way-note"), "10,000 points aren't read")
    wait(driver)
    check(not text(driver, "problem"), "10,000 points are a problem")
    check(not driver.find_element(By.ID, "kind").is_displayed(), "a file with times asks for a speed")
    check("GPXTrack(contentsOf: file).route" in text(driver, "test-code"), "the test of a file with times has a speed")


def accessible(driver):
    """Checks the page with axe-core, in both schemes, with all parts open."""
    for scheme in ("light", "dark"):
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        driver.get(page)
        wait(driver)
        driver.execute_script("for (const each of document.querySelectorAll('details')) each.open = true")
        axe = Axe(driver)
        axe.inject()
        found = axe.run(options={"resultTypes": ["violations"]})["violations"]
        check(not found, f"axe finds, {scheme}: {[(each['id'], [node['html'][:160] for node in each['nodes']][:3]) for each in found]}")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def quiet(driver):
    for entry in driver.get_log("browser"):
        check(entry["level"] != "SEVERE", entry["message"])


def narrow(driver):
    for width in (360, 800, 1400):
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500})
        driver.get(page)
        wait(driver)
        wide = driver.execute_script("return document.documentElement.scrollWidth")
        check(wide <= width, f"at a width of {width} px, the page has {wide} px")
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def written(driver):
    """Compiles and runs the tests that the page writes."""
    tests = work / "Way" / "Tests" / "WayTests"
    tests.mkdir(parents=True)
    count = 0
    for name in ("commute", "freeway", "weekend"):
        for phone in phones(driver):
            for bound in (0, 4, 8, 14):
                driver.execute_script("$('phone').value = arguments[0]; $('bound').value = arguments[1]; $('way').value = arguments[2];"
                                      "choose(arguments[2])", phone, bound, name)
                wait(driver)
                code = text(driver, "test-code").replace("func myWay", f"func way{count}")
                check("#expect" in code, f"no test for {name}")
                (tests / f"Way{count}.swift").write_text(code)
                count += 1
    root = pathlib.Path.cwd()
    (work / "Way" / "Package.swift").write_text(f"""// swift-tools-version: 6.2
import PackageDescription
let package = Package(
  name: "Way", platforms: [.macOS(.v13)], dependencies: [.package(name: "LocoKit", path: "{root}")],
  targets: [.testTarget(name: "WayTests", dependencies: [.product(name: "LocoKitSimulation", package: "LocoKit")])])
""")
    done = subprocess.run(["swift", "test", "--package-path", str(work / "Way")], capture_output=True, text=True)
    check(done.returncode == 0 and f"with {count} tests" in done.stdout, f"a written test fails:\n{(done.stdout + done.stderr)[-3000:]}")
    print(f"{count} tests that the page wrote pass")


with chromium(logs={"browser": "ALL"}) as driver:
    driver.get(page)
    use(driver)
    quiet(driver)
    files(driver)
    narrow(driver)
    accessible(driver)
    driver.get(page)
    wait(driver)
    ready, first = driver.execute_script("return [document.body.dataset.ready, document.body.dataset.milliseconds]")
    read_alike(driver)
    shown_code(driver)
    compare(driver, 200 if is_long else 12)
    if is_long:
        written(driver)
    quiet(driver)
    print(f"try.html: ready in {ready} ms, the first route in {first} ms, in Chromium {driver.capabilities['browserVersion']}")
