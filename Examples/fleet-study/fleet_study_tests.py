#!/usr/bin/env python3
"""Tests `fleet-study` on 40 simulated journals, or 1,000 if LOCOKIT_LONG is set, and on nine damaged ones.

usage: Examples/fleet-study/fleet_study_tests.py [-v] [TEST...]
"""
from __future__ import annotations

import collections
import concurrent.futures
import importlib.util
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import xml.etree.ElementTree
from collections.abc import Callable
from typing import Any

sys.dont_write_bytecode = True
FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
import fleet_study  # noqa: E402

PROGRAM = FOLDER / "fleet-study"
BUILDS = [FOLDER.parent.parent / ".build" / build / "LocoKitDemo" for build in ("release", "debug")]
DEMO = next((str(build) for build in BUILDS if build.exists()), None)
COUNT = 1_000 if os.environ.get("LOCOKIT_LONG") else 40
DEVICES = [("iOS 18.5", "iPhone14,5"), ("iOS 26.1", "iPhone14,5"), ("iOS 26.1", "iPhone17,1"), ("iOS 26.1", None)]
DRIVES = [["--within", "500"], ["--within", "200", "--phone", "foreground"], ["--within", "1000", "--faults", "some"], []]
BOUNDS = [200.0, 500.0, 1_000.0]


def missing() -> str | None:
    """Returns why the program can't run here, or `None` if it can."""
    if not DEMO:
        return "there is no LocoKitDemo: build it with swift build -c release --product LocoKitDemo"
    if not importlib.util.find_spec("pyspark"):
        return f"there is no PySpark: {sys.executable} -m pip install --requirement {FOLDER / 'requirements.txt'}"
    try:
        fleet_study.check_java()
    except fleet_study.Failure as failure:
        return str(failure)
    return None


def note(line: dict[str, Any], level: float) -> str:
    return json.dumps({"t": line["t"], "d": line["d"], "is": "note", "text": f"battery {level:.2f} unplugged"})


def record(folder: pathlib.Path, number: int) -> pathlib.Path:
    """Records a drive, sets the system and the model in its launches, and adds battery levels. Returns the journal, a folder or a file."""
    journal = folder / f"phone-{number:04}"
    subprocess.run([DEMO, "--seed", str(number), "--json", "--journal", journal, *DRIVES[number % len(DRIVES)]], check=True,
                   stdout=subprocess.DEVNULL)
    platform, model = DEVICES[number // len(DRIVES) % len(DEVICES)]
    # A simulated fault may terminate the app. Its next launch begins a new file.
    entries = [json.loads(line) for file in sorted(journal.iterdir()) for line in file.read_text().splitlines()]
    for file in journal.iterdir():
        file.unlink()
    file = journal / "journal-000001.jsonl"
    lines = [json.dumps(entry | {"platform": platform, "model": model} if entry["is"] == "launch" else entry) for entry in entries]
    lines = [lines[0], note(entries[0], 0.9), *lines[1:], note(entries[-1], 0.9 - number % 7 / 100)]
    if number % 5 == 0:
        journal.with_suffix(".secret").unlink(missing_ok=True)
        journal.rmdir()
        journal = folder / f"half an hour, 100%/phone-{number:04}.jsonl"
        journal.parent.mkdir(exist_ok=True)
        journal.write_text("\n".join(lines) + "\n")
    elif number % 5 == 1:  # Two files. The second file can't be read alone.
        file.write_text("\n".join(lines[:50]) + "\n")
        (journal / "journal-000002.jsonl").write_text("\n".join(lines[50:]) + "\n")
    else:
        file.write_text("\n".join(lines) + "\n")
    return journal


def damage(folder: pathlib.Path, good: pathlib.Path) -> dict[str, str]:
    """Adds damaged journals. Returns a pattern for each journal's error message, by the journal's name."""
    text = good.read_text()
    (folder / "cut.jsonl").write_text(text[:len(text) // 2].rpartition(":")[0] + "\n")
    (folder / "without-launch").mkdir()
    (folder / "without-launch/journal-000007.jsonl").write_text(text.partition("\n")[2])
    (folder / "empty.jsonl").touch()
    (folder / "empty-folder").mkdir()
    (folder / "empty-folder/journal-000001.jsonl").touch()
    (folder / "a-table.jsonl").write_text("time,place\n1,2\n")
    (folder / "bytes.jsonl").write_bytes(bytes(range(256)) * 1_000)
    (folder / "long-line.jsonl").write_text(text + "x" * 5_000_000 + "\n")
    (folder / "future.jsonl").write_text(text.replace('"format": 1', '"format": 2', 1))
    (folder / "large").mkdir()
    (folder / "large/journal-000001.jsonl").write_text(text)
    with open(folder / "large/journal-000002.jsonl", "wb") as large:
        large.truncate(fleet_study.LARGEST + 1)
    return {"cut.jsonl": r"cut\.jsonl:\d+: not a journal line", "without-launch": "there is no launch in it", "empty.jsonl": "it is empty",
            "empty-folder": "it is empty", "a-table.jsonl": r"a-table\.jsonl:1: not a journal line", "bytes.jsonl": r"bytes\.jsonl:1: ",
            "long-line.jsonl": "more than 4000000 bytes", "future.jsonl": "the format is 2", "large": "more than 100,000,000 bytes"}


def percentile(values: list[float], share: float) -> float:
    """Returns the value at a share of the sorted values, interpolated between the two nearest values."""
    ordered, position = sorted(values), share * (len(values) - 1)
    low, high = ordered[math.floor(position)], ordered[math.ceil(position)]
    return low + (high - low) * (position - math.floor(position))


def run(*words: object, python: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *python, PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=3_600)


class Case(unittest.TestCase):
    def refused(self, code: int, because: str, *words: object, python: tuple[str, ...] = ()) -> None:
        done = run(*words, python=python)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertRegex(done.stderr, r"(?m)^fleet-study: .*" + because)
        self.assertNotIn("Traceback", done.stderr)


class WithoutSpark(Case):
    """Tests that don't need Spark."""

    def test_wrong_usage(self) -> None:
        for words, because in {
            (): "JOURNALS.*\nTry 'fleet-study --help'", (FOLDER, "--within", "much"): "list of metres such as 200,500.*'much'",
            (FOLDER, "--within", "50"): "from 100 to", (FOLDER, "--partitions", "0"): "from 1 to 1,000,000, not '0'",
            (FOLDER, "--chrat", "x"): "--chrat",
        }.items():
            with self.subTest(words=words):
                self.refused(64, because, *words)
        self.assertEqual(run("--help").returncode, 0)

    def test_missing_things(self) -> None:
        demo = ("--demo", DEMO or "/bin/true")
        self.refused(66, "/nowhere: no such folder", "/nowhere", *demo)
        self.refused(66, "no such folder", PROGRAM, *demo)
        self.refused(66, "/nowhere/demo: no such program; build it", FOLDER, "--demo", "/nowhere/demo")
        self.refused(66, "/bin/true: doesn't run as LocoKitDemo", FOLDER, "--demo", "/bin/true")
        self.refused(73, "can't be written", FOLDER, *demo, "--chart", "/nowhere/chart.svg")

    @unittest.skipIf(not DEMO, "there is no LocoKitDemo")
    def test_no_pyspark(self) -> None:
        self.refused(69, "PySpark is missing: .* -m pip install --requirement .*requirements.txt", FOLDER, python=("-I", "-S"))

    def test_java(self) -> None:
        with tempfile.TemporaryDirectory() as home, unittest.mock.patch.dict(os.environ, JAVA_HOME=home):
            with self.assertRaisesRegex(fleet_study.Failure, "needs Java, and there is no .*bin/java: install Java 17"):
                fleet_study.check_java()
            java = pathlib.Path(home, "bin/java")
            java.parent.mkdir()
            java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
            java.chmod(0o700)
            with self.assertRaisesRegex(fleet_study.Failure, "is Java 11: install Java 17"):
                fleet_study.check_java()

    def test_names(self) -> None:
        fleet = fleet_study.Fleet.__new__(fleet_study.Fleet)
        for root, path, name in [("/data", "file:/data/a/b.jsonl", "a/b.jsonl"), ("s3a://bucket/x/", "s3a://bucket/x/phone", "phone"),
                                 ("s3a://bucket", "s3a://bucket/phone", "phone"), ("hdfs:///x", "hdfs://node:8020/x/a", "a"),
                                 ("/data/Journal", "file:///data/Journal", "Journal")]:
            fleet.root = root
            self.assertEqual(fleet.name(path), name)

    def test_a_strangers_names_control_nothing(self) -> None:
        line = {"figure": "gpsOnPercent", "within": None, "n": 2, "unknown": 0, "pooled": 1} | dict.fromkeys(fleet_study.PERCENTILES, 1.0)
        group = {"system": "\x1b[2J<b>", "model": "&", "journals": 2, "hours": 1.0, "figures": [line]}
        svg = fleet_study.chart([group] * 100, [])
        self.assertEqual(svg.count("<rect"), 1 + 1 + fleet_study.GROUPS_IN_CHART)
        xml.etree.ElementTree.fromstring(svg)
        fleet = fleet_study.Fleet.__new__(fleet_study.Fleet)
        fleet.count, fleet.groups, fleet.damaged = 2, [group], [{"journal": "\x1b[2J", "error": "\x07"}] * 30
        text = fleet.text([])
        self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f]")
        self.assertIn("and 10 more: --json names all", text)

    def test_no_groups(self) -> None:
        self.assertEqual(fleet_study.groups([]), [])
        xml.etree.ElementTree.fromstring(fleet_study.chart([], BOUNDS))


@unittest.skipIf(missing(), missing())
class OnSpark(Case):
    folder: pathlib.Path
    journals: dict[str, pathlib.Path]
    reasons: dict[str, str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.work = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        # Spark treats a folder's name as a pattern.
        cls.folder = cls.work / "Journals [1] {a}"
        cls.folder.mkdir()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            journals = list(pool.map(lambda number: record(cls.folder, number), range(COUNT)))
        # An app that is killed may leave an incomplete last line, which isn't damage.
        with open(journals[0], "a") as file:
            file.write('{"t":1')
        cls.journals = {str(journal.relative_to(cls.folder)): journal for journal in journals}
        cls.reasons = damage(cls.folder, journals[5])
        # These files are not journals.
        (cls.folder / "phone-0001.secret").write_text("secret")
        (cls.folder / "notes.txt").write_text("notes")
        cls.done = run(cls.folder, "--json", "--chart", cls.work / "chart.svg")
        assert cls.done.returncode == 65, cls.done.stderr
        cls.result = json.loads(cls.done.stdout)

    def figures(self, system: str | None, model: str | None) -> dict[tuple[str, float | None], dict[str, Any]]:
        group = next(each for each in self.result["groups"] if (each["system"], each["model"]) == (system, model))
        return {(each["figure"], each["within"]): each for each in group["figures"]}

    def test_damaged_journals_are_counted_and_named(self) -> None:
        self.assertEqual(self.result["journals"], COUNT + len(self.reasons))
        self.assertEqual([each["journal"] for each in self.result["damaged"]], sorted(self.reasons))
        for each in self.result["damaged"]:
            self.assertRegex(each["error"], self.reasons[each["journal"]])
        self.assertIn(f"fleet-study: {len(self.reasons)} of {COUNT + len(self.reasons)} journals are damaged", self.done.stderr)
        speed = re.search(r"\d+ journals in [\d.]+ s on \d+ cores: ([\d.]+) journals a second a core\n", self.done.stderr)
        self.assertGreater(float(speed[1]), 0)
        print(speed[0], end="", file=sys.stderr)
        self.assertNotIn(str(self.work), self.done.stdout)

    def test_the_figures_are_those_of_plain_python(self) -> None:
        lines = [json.loads(line) for line in subprocess.run(
            [DEMO, "study", "--json", *self.journals.values()], capture_output=True, check=True).stdout.splitlines()]
        values: dict[Any, list[float]] = collections.defaultdict(list)
        sums: dict[Any, list[float]] = collections.defaultdict(lambda: [0, 0])
        groups: collections.Counter[tuple[str | None, str | None]] = collections.Counter()

        def add(line: dict[str, Any], key: tuple[str, float | None], part: float, whole: float, factor: float) -> None:
            for device in ((line["platform"], line["model"] or "unknown"), (None, None)):
                if whole > 0:
                    values[device, key].append(part / whole * factor)
                    sums[device, key][0] += part * factor
                    sums[device, key][1] += whole

        def replay(job: tuple[dict[str, Any], pathlib.Path, float]) -> dict[str, Any]:
            words = [DEMO, "replay", job[1], "--json", "--within", str(job[2])]
            return json.loads(subprocess.run(words, capture_output=True, check=True).stdout)

        for line in lines:
            found = line["sums"]
            groups.update([(line["platform"], line["model"] or "unknown"), (None, None)])
            add(line, ("gpsOnPercent", None), found["gpsOnSeconds"], found["seconds"], 100)
            add(line, ("looksPerHour", None), found["looks"], found["seconds"], 3_600)
            add(line, ("failedLooksPercent", None), found["failedLooks"], found["looks"], 100)
            add(line, ("wakesPerHour", None), sum(found["wakes"].values()), found["seconds"], 3_600)
            battery = found["batteryKeptRunning"]
            add(line, ("batteryPercentPerHourKeptRunning", None), battery["used"], battery["hours"], 100)
            for seconds in found["secondsToFirstFix"]["recentFix"]:
                add(line, ("secondsToFirstFixRecentFix", None), seconds, 1, 1)
        jobs = [(line, journal, bound) for line, journal in zip(lines, self.journals.values()) for bound in BOUNDS
                if (line["widestErrorBoundMetres"] or math.inf) <= bound]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for (line, _, bound), found in zip(jobs, pool.map(replay, jobs)):
                add(line, ("gpsOnPercent", bound), found["gpsOnSeconds"], found["durationSeconds"], 100)
                add(line, ("looksPerHour", bound), sum(found["looks"].values()), found["durationSeconds"], 3_600)

        self.assertEqual({(each["system"], each["model"]): each["journals"] for each in self.result["groups"]}, groups)
        self.assertEqual(len(groups), 1 + len(DEVICES))
        for (device, key), expected in values.items():
            figure = self.figures(*device)[key]
            with self.subTest(device=device, key=key):
                self.assertEqual(figure["n"], len(expected))
                # The values of a figure are rounded to 0.001, and times to 0.1 s.
                delta = 0.051 if key[0].startswith("seconds") else 0.002
                for name, share in fleet_study.PERCENTILES.items():
                    self.assertAlmostEqual(figure[name], percentile(expected, share), delta=delta)
                if not key[0].startswith("seconds"):
                    self.assertAlmostEqual(figure["pooled"], sums[device, key][0] / sums[device, key][1], delta=0.002)

    def test_narrower_bounds_are_unknown(self) -> None:
        every = self.figures(None, None)
        for bound, share in ((200.0, 0.25), (500.0, 0.5), (1_000.0, 0.75)):
            figure = every["gpsOnPercent", bound]
            self.assertEqual((figure["n"], figure["unknown"]), (COUNT * share, COUNT * (1 - share)))

    def test_a_wider_bound_saves_time(self) -> None:
        every = self.figures(None, None)
        # Below 300 m, the GPS often stays on in a vehicle, so the number of looks says less.
        self.assertLess(every["gpsOnPercent", 1_000.0]["pooled"], every["gpsOnPercent", 200.0]["pooled"] / 2)

    def test_the_result_does_not_depend_on_the_partitions(self) -> None:
        for count in (1, 3, 8):
            done = run(self.folder, "--json", "--partitions", count, "--chart", self.work / f"chart-{count}.svg")
            self.assertEqual((done.returncode, done.stdout), (65, self.done.stdout))
            self.assertEqual((self.work / f"chart-{count}.svg").read_bytes(), (self.work / "chart.svg").read_bytes())

    def test_the_chart(self) -> None:
        texts = "\n".join(each.text or "" for each in xml.etree.ElementTree.parse(self.work / "chart.svg").iter())
        for words in ("all journals", "iOS 26.1 iPhone17,1", "iOS 26.1 unknown", f"recorded, n = {COUNT}", "within 1000 m"):
            self.assertIn(words, texts)

    def test_spark_submit_and_the_table(self) -> None:
        submit = pathlib.Path(sys.executable).with_name("spark-submit")
        done = subprocess.run([submit, "--master", "local[2]", FOLDER / "fleet_study.py", self.folder, "--within", "1000"],
                              capture_output=True, text=True, env=os.environ | {"PYSPARK_PYTHON": sys.executable})
        self.assertEqual(done.returncode, 65, done.stderr)
        self.assertIn(f"{COUNT + len(self.reasons)} journals, {len(self.reasons)} of them damaged\n", done.stdout)
        for words in (r"\niOS 26\.1 +iPhone17,1 +\d+ ", r"\nGPS on, % of the time +replayed within 1000 m +\d+ ",
                      r"\n  cut\.jsonl: cut\.jsonl:\d+: not a", r"\nfirst fix after a fix, s +\d+ +\d+ +– +0\.\d"):
            self.assertRegex(done.stdout, words)

    def test_copies_are_private_and_deleted_and_a_crash_is_the_journals(self) -> None:
        folder = self.work / "few"
        for name in ("one", "crash"):
            shutil.copytree(next(each for each in self.journals.values() if each.is_dir()), folder / name)
        shutil.copy(next(each for each in self.journals.values() if each.is_file()), folder / "two.jsonl")
        with open(folder / "crash/journal-000001.jsonl", "a") as file:
            file.write('{"t":0,"d":0,"is":"note","text":"crash here"}\n')
        log, demo = self.work / "log", self.work / "demo"
        demo.write_text(f'#!/bin/sh\n[ "$1" = --version ] || [ "$1" = replay ] || {{ cd /; find "$3" -exec stat '
                        f'-c "%a %n" {{}} + >> {log}; grep -rqs "crash here" "$3" && kill -SEGV $$; }}\nexec {DEMO} "$@"\n')
        demo.chmod(0o755)
        done = run(folder, "--json", "--demo", demo)
        self.assertEqual(done.returncode, 65, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["journals"], 3)
        self.assertEqual([each["journal"] for each in result["damaged"]], ["crash"])
        self.assertIn("LocoKitDemo study ended with -11", result["damaged"][0]["error"])
        paths = [line.split(" ", 1) for line in log.read_text().splitlines()]
        self.assertEqual({mode for mode, _ in paths}, {"700", "600"})
        for _, path in paths:
            self.assertFalse(os.path.exists(path), path)

    def test_an_interruption_leaves_no_copies(self) -> None:
        marker, demo = self.work / "started", self.work / "slow"
        demo.write_text(f'#!/bin/sh\n[ "$1" = --version ] || {{ echo "$3" > {marker}; sleep 600; }}\nexec {DEMO} "$@"\n')
        demo.chmod(0o755)
        process = subprocess.Popen([sys.executable, PROGRAM, self.folder, "--demo", demo], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.wait(lambda: marker.exists() and marker.read_text())
        copy = pathlib.Path(marker.read_text().strip())
        self.assertTrue(copy.exists())
        os.killpg(process.pid, signal.SIGINT)  # As a terminal does for Ctrl-C.
        with process.stderr:
            self.assertNotIn("Traceback", process.stderr.read())
        self.assertEqual(process.wait(), 130)
        self.wait(lambda: not copy.exists())

    def wait(self, until: Callable[[], object]) -> None:
        deadline = time.monotonic() + 120
        while not until():
            self.assertLess(time.monotonic(), deadline, "timeout")
            time.sleep(0.05)

    def test_a_folder_that_is_a_journal(self) -> None:
        journal = next(each for each in self.journals.values() if each.is_dir())
        done = run(journal, "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["journals"]), (0, 1))

    def test_no_journal_and_no_store(self) -> None:
        (self.work / "nothing").mkdir()
        self.refused(66, "nothing: has no journal, such as phone-1/journal-000001.jsonl", self.work / "nothing")
        self.refused(66, "no such folder", "file:///nowhere/journals")
        self.refused(69, "Spark has no library for this store.*hadoop-aws", "s3a://bucket/journals")

    def test_the_reader_of_the_output_may_leave(self) -> None:
        process = subprocess.Popen([sys.executable, PROGRAM, self.folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()
        with process.stderr:
            self.assertNotIn(b"Traceback", process.stderr.read())
        self.assertEqual(process.wait(), 141)


if __name__ == "__main__":
    unittest.main()
