#!/usr/bin/env python3
"""Tests `receipt` on databases made from measured hours, on synthetic databases with known parameters, and on damaged files.

usage: Examples/LocoApp/receipt_tests.py [-v] [TEST...]
"""
import ast
import contextlib
import csv
import gzip
import importlib.machinery
import importlib.util
import io
import json
import math
import os
import pathlib
import random
import re
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from unittest import mock

sys.dont_write_bytecode = True
os.environ["TZ"] = "UTC"
time.tzset()
FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
MEASURED = ROOT.parent / "shared/powerlog/hourly.csv"
PROFILE = ROOT / "Sources/LocoKitSimulation/EnergyProfile.swift"
loader = importlib.machinery.SourceFileLoader("receipt", str(FOLDER / "receipt"))
receipt = importlib.util.module_from_spec(importlib.util.spec_from_loader("receipt", loader))
loader.exec_module(receipt)

APP = "org.example.LocoAppABCDE12345"
BEGIN = 1_769_000_400  # 2026-01-21 13:00 UTC
HOUR = 3_600
TABLES = {
    receipt.NODES: "ID INTEGER PRIMARY KEY, timestamp REAL, IsPermanent INTEGER, Name TEXT",
    receipt.ENERGY: "ID INTEGER PRIMARY KEY, timestamp REAL, timeInterval REAL, Energy REAL, NodeID INTEGER, RootNodeID INTEGER",
    receipt.OFFSETS: "ID INTEGER PRIMARY KEY, timestamp REAL, baseband REAL, kernel REAL, system REAL",
}


def write_database(path, hours, offsets=((0, 0),), tables=TABLES, rows=()):
    """Writes a database of hours (end, node, component, mWh) and further rows (timestamp, timeInterval, Energy, node, component)."""
    rows = [(end, HOUR, mwh * 1_000, node, component) for end, node, component, mwh in hours] + list(rows)
    names = {name: number for number, name in enumerate(sorted({name for row in rows for name in row[3:]} | {"GPS"}), 1)}
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for table, columns in tables.items():
            connection.execute(f"CREATE TABLE {table} ({columns})")
        if receipt.NODES in tables:
            connection.executemany(f"INSERT INTO {receipt.NODES} (ID, Name) VALUES (?, ?)", [(n, name) for name, n in names.items()])
        if tables.get(receipt.ENERGY) == TABLES[receipt.ENERGY]:
            connection.executemany(
                f"INSERT INTO {receipt.ENERGY} (timestamp, timeInterval, Energy, NodeID, RootNodeID) VALUES (?, ?, ?, ?, ?)",
                [(*row[:3], names[row[3]], names[row[4]]) for row in rows])
        if tables.get(receipt.OFFSETS) == TABLES[receipt.OFFSETS]:
            connection.executemany(f"INSERT INTO {receipt.OFFSETS} (timestamp, system) VALUES (?, ?)", offsets)
        connection.commit()
    return path


def small():
    """Returns the energies of three hours, of the app and of other nodes. One node's name contains a control character of terminals."""
    ends = [BEGIN + HOUR * number for number in (1, 2, 3)]
    return [(ends[0], APP, "GPS", 3.0), (ends[0], APP, "CPU", 1.5), (ends[0], "com.example.\x1b[31mmap", "GPS", 20.0),
            (ends[1], APP, "BB-Pssi", 0.25), (ends[1], "GPS", "GPS", 0.5), (ends[2], "com.example.mail", "CPU", 9.0)]


class JournalWriter:
    """Makes the lines of a journal as LocoKit writes them, with a place that `receipt` must not print."""

    PLACE = [48.20849, 16.37208, 10, None, None, None, None, 0]

    def __init__(self, start=BEGIN):
        self.start, self.lines = start, []

    def line(self, second, kind, shift=0, **fields):
        date = self.start + second + shift - receipt.REFERENCE_DATE
        self.lines.append(json.dumps({"t": round(second * 1e9), "d": date, "is": kind, **fields}))
        return self

    def launch(self, second, sources=(), updates="whileMoving", **fields):
        return self.line(second, "launch", **{"format": 1, "sources": sources, "updates": updates, "fixes": self.PLACE, **fields}).do(
            second, "mode significantChanges; init → waitingSignificantChange (authorized)")

    def do(self, second, text):
        return self.line(second, "do", text=text)

    def look(self, second, length):
        self.do(second, "mode gps; waitingSignificantChange → acquiring (lookDue); look timer")
        self.line(second + length, "fixes", fixes=[self.PLACE])
        return self.do(second + length, "mode significantChanges; acquiring → waitingSignificantChange (acquired)")

    def keep(self, second, length):
        return self.do(second, "kept running").do(second + length, "not kept running; timer none")

    def followed(self, other):
        self.lines += other.lines
        return self

    @property
    def data(self):
        """The contents of the journal's file."""
        return "".join(line + "\n" for line in self.lines).encode()


def synthetic(seed, powers=(8, 110, 0.6), noise=0.2, count=72, looks=True, offset=0):
    """Returns a journal and the energies of its hours. `powers` are mW while kept running, mW with the GPS on, and J per wake."""
    chance, journal, energies = random.Random(seed), JournalWriter(), []
    journal.launch(0)
    for hour in range(count):
        begin, kept, gps, wakes = hour * HOUR, chance.choice([0, 600, 1_500]), 0, chance.choice([0, 1, 4, 9])
        for number in range(wakes):
            journal.line(begin + 100 + number, "significantChange", fixes=[journal.PLACE])
        if kept:
            journal.keep(begin + 200, kept)
        if looks and chance.random() < 0.5:
            gps = chance.uniform(20, 400)
            journal.look(begin + 2_000, gps)
            gps += 5  # the tail
        joules = (powers[0] * kept + powers[1] * gps) / 1e3 + powers[2] * wakes
        energies.append((BEGIN + begin + HOUR + offset, APP, "CPU", joules / 3.6 * max(0, chance.gauss(1, noise))))
        energies.append((BEGIN + begin + HOUR + offset, "com.example.mail", "CPU", 1.0))
    return journal.line(count * HOUR, "timer"), energies


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, data, name="file"):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def database(self, *arguments, name="powerlog_2026-02-01_20-16_7FBBD5E0.PLSQL", **options):
        path = self.folder / name
        path.unlink(missing_ok=True)
        return write_database(path, *arguments, **options)

    def archive(self, members, mode="w:gz"):
        """Writes an archive. The data of a member are bytes, or the target of a link."""
        path = self.folder / "sysdiagnose.tar.gz"
        with tarfile.open(path, mode) as archive:
            for name, data in members:
                member = tarfile.TarInfo(name)
                if isinstance(data, bytes):
                    member.size = len(data)
                    archive.addfile(member, io.BytesIO(data))
                else:
                    member.type, member.linkname = tarfile.SYMTYPE, data
                    archive.addfile(member)
        return path

    def run_main(self, *words):
        """Runs `receipt`, checks that it leaves no temporary file and prints no traceback, and returns the exit code, the output and the errors."""
        output, errors = io.StringIO(), io.StringIO()
        temporary = self.folder / "temporary"
        temporary.mkdir(exist_ok=True)
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors), mock.patch.object(tempfile, "tempdir", str(temporary)):
            try:
                code = receipt.main([str(word) for word in words])
            except SystemExit as error:
                code = error.code
        self.assertEqual(os.listdir(temporary), [])
        self.assertNotIn("Traceback", errors.getvalue())
        return code, output.getvalue(), errors.getvalue()

    def result(self, *words):
        code, output, errors = self.run_main(*words, "--json")
        self.assertEqual((code, errors), (0, ""))
        return json.loads(output)

    def assert_fails(self, *words, because):
        code, output, errors = self.run_main(*words)
        self.assertEqual((code, output), (1, ""), errors)
        self.assertRegex(errors, r"\Areceipt: \S")
        self.assertRegex(errors, because)


class Outputs(Case):
    def test_energies_by_component_and_hour(self):
        result = self.result(self.database(small()))
        self.assertEqual(result["mWhByNode"], {
            "org.example.LocoApp": {"GPS": 3, "CPU": 1.5, "BB-Pssi": 0.25}, "com.example.?[31mmap": {"GPS": 20}, "GPS": {"GPS": 0.5}})
        self.assertEqual(result["mWhByAll"], {"GPS": 23.5, "CPU": 10.5, "BB-Pssi": 0.25})
        self.assertEqual([(hour["start"][:16], hour["mWh"]) for hour in result["hours"]], [
            ("2026-01-21T13:00", {"GPS": 3, "CPU": 1.5}), ("2026-01-21T14:00", {"BB-Pssi": 0.25}), ("2026-01-21T15:00", {})])
        self.assertEqual(result["notes"], [])

    def test_the_text_has_the_same_figures_and_no_control_characters(self):
        code, text, _ = self.run_main(self.database(small()))
        self.assertEqual(code, 0)
        self.assertRegex(text, r"\Aorg.example.LocoApp: 4.75 mWh in 3 hours from 2026-")
        self.assertRegex(text, r"(?m)^org.example.LocoApp +3.00 +1.50 +0.25 +0.00 +0.00 +0.00 +4.75 +1.58$")
        self.assertRegex(text, r"(?m)^com.example.\?\[31mmap +20.00 ")
        self.assertRegex(text, r"(?m)^all nodes +23.50 +10.50 ")
        self.assertRegex(text, r"(?m)^2026-01-21 13:00 +3.00 +1.50 +0.00 +0.00 +0.00 +0.00 +4.50 +23.00$")
        self.assertIn("\n1 hours without energy and activity are left out", text)
        self.assertNotIn("mail", text)
        self.assertNotIn("\x1b", text)

    def test_csv_has_a_row_for_each_figure(self):
        hours = small() + [(BEGIN + HOUR, "=2+3", "GPS", 1.0)]
        journal = self.file(JournalWriter().launch(0).line(HOUR, "timer").data)
        code, text, _ = self.run_main(self.database(hours), "--csv", journal)
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual(code, 0)
        self.assertIn({"hour": "2026-01-21T13:00:00Z", "source": "org.example.LocoApp", "name": "GPS", "value": "3.0", "unit": "mWh"}, rows)
        self.assertIn({"hour": "2026-01-21T13:00:00Z", "source": "journal", "name": "asleep", "value": "3600", "unit": "s"}, rows)
        self.assertEqual([row["source"] for row in rows if "2+3" in row["source"]], ["'=2+3"])
        self.assertEqual(len(rows), 6 + 6)

    def test_from_and_to(self):
        path = self.database(small())
        for option, starts in [("--from", ["14:00", "15:00"]), ("--to", ["13:00"])]:
            with self.subTest(option):
                hours = self.result(path, option, "2026-01-21T14:00:00+00:00")["hours"]
                self.assertEqual([hour["start"][11:16] for hour in hours], starts)
        self.assert_fails(path, "--from", "2027-01-01", because="none of them is between --from and --to")

    def test_earlier_powerlogs_of_the_same_phone(self):
        """The hours of all count, each once, in any order of the arguments. Of an hour in two of them, the newer powerlog's counts."""
        def powerlog(numbers, energy, shift=0):
            hours = [(BEGIN + HOUR * (number + 1) + shift, APP, "GPS", energy) for number in numbers]
            return self.database(hours, name=f"{energy}.PLSQL")
        first, second, third = powerlog(range(0, 4), 1), powerlog(range(3, 6), 2, shift=20), powerlog(range(8, 10), 4)
        for words in ([third, "--earlier", first, "--earlier", second], [first, "--earlier", third, "--earlier", second]):
            hours = self.result(*words)["hours"]
            self.assertEqual([hour["mWh"].get("GPS", 0) for hour in hours if hour["mWh"]], [1, 1, 1, 2, 2, 2, 4, 4])
        self.assert_fails(third, "--earlier", "nowhere", because="nowhere")

    def test_the_app(self):
        end = BEGIN + HOUR
        path = self.database(small() + [(end, APP + ".widget", "CPU", 2.0), (end, "org.example.LocoAppendix", "CPU", 70.0)])
        self.assertEqual(self.result(path)["mWhByNode"]["org.example.LocoApp"]["CPU"], 3.5)
        self.assertEqual(self.result("--app", APP, path)["mWhByNode"][APP]["CPU"], 3.5)
        self.assert_fails(path, "--app", "org.example.Loco",
                          because=r"nothing is charged to org.example.Loco .*GPS energy: com.example.\?\[31mmap")

    def test_wrong_usage(self):
        for words in [[], ["x", "--from", "yesterday"], ["x", "--json", "--csv"], ["x", "--stamps", "middle"]]:
            with self.subTest(words):
                code, _, errors = self.run_main(*words)
                self.assertEqual(code, 2)
                self.assertIn("usage: receipt", errors)

    def test_the_command(self):
        """The help has an example and the exit codes, and a broken pipe prints no error message."""
        run = subprocess.run([str(FOLDER / "receipt"), "--help"], capture_output=True, text=True, check=True)
        self.assertRegex(run.stdout, r"(?s)example:.*exit codes:")
        command = f"'{FOLDER}/receipt' '{self.database(small())}' | head -n 0"
        run = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
        self.assertEqual(run.stderr, "")

    def test_python_3_9_can_parse_it(self):
        ast.parse((FOLDER / "receipt").read_text(), feature_version=(3, 9))

    def test_the_profile_is_that_of_the_library(self):
        source = re.search(r"static let phone = EnergyProfile\((.*?)\n  +/// ", PROFILE.read_text(), re.S)[1]

        def power(name):
            watts = re.search(rf"{name}: Power\(resting: ([\d.]+), moving: ([\d.]+)", source).groups()
            return tuple(round(1e3 * float(each)) for each in watts)

        tail, wake = (int(re.search(pattern, source)[1]) for pattern in (r"tail: \.seconds\((\d+)\)", r"wakeEnergy: (\d+)"))
        name = re.search(r'name: "(.*?)"', source)[1]
        expected = {"name": name, "GPS on": power("gps"), "kept running": power("keptRunning"), "tail": tail, "wake": wake}
        self.assertEqual(receipt.PROFILE, expected)


class Sources(Case):
    """Tests with the database in a file, a folder and an archive."""

    def setUp(self):
        super().setUp()
        self.data = self.database(small()).read_bytes()
        self.other = self.database([(BEGIN + HOUR, APP, "CPU", 7.0)]).read_bytes()

    def cpu(self, path):
        result = self.result(path)
        return result["mWhByNode"]["org.example.LocoApp"]["CPU"], result["notes"]

    def test_every_form_has_the_same_figures(self):
        inner = "sysdiagnose_2026.02.01/logs/powerlogs/powerlog_2026-02-01_20-16_7FBBD5E0.PLSQL"
        big = [("a/x", b"0" * 100_000), (inner, self.data), ("a/y", b"")]
        forms = {
            "database": lambda: self.file(self.data, "a%23 ?#.PLSQL"),
            "compressed database": lambda: self.file(gzip.compress(self.data), "a.PLSQL.gz"),
            "archive": lambda: self.archive(big),
            "archive without compression": lambda: self.archive(big, "w"),
            "archive with a compressed database": lambda: self.archive([(inner + ".gz", gzip.compress(self.data))]),
            "folder": lambda: self.file(self.data, "folder/" + inner) and self.folder / "folder",
            "name without a date": lambda: self.archive([("CurrentPowerlog.PLSQL", self.data)]),
        }
        for name, form in forms.items():
            with self.subTest(name):
                self.assertEqual(self.cpu(form()), (1.5, []))

    def test_of_several_powerlogs_the_newest_is_read(self):
        names = ["logs/powerlogs/powerlog_2026-02-01_A.PLSQL", "logs/powerlogs/powerlog_2026-01-01_B.PLSQL"]
        for order in (0, 1):
            pairs = [(names[order], self.data), (names[1 - order], self.other)]
            for path in (self.archive(pairs), self.folder / f"folder{order}"):
                if path.suffix == "":
                    for name, data in pairs:
                        self.file(data, f"{path.name}/{name}")
                with self.subTest(path=path, order=order):
                    cpu, notes = self.cpu(path)
                    self.assertEqual(cpu, (1.5, 7.0)[order])
                    self.assertRegex(notes[0], r"of 2 powerlogs, .*powerlog_2026-02-01_A.PLSQL is read")

    def test_the_current_powerlog_is_read_before_an_archived_one(self):
        path = self.archive([("CurrentPowerlog.PLSQL", self.data), ("Archives/powerlog_2026-02-01_A.PLSQL.gz", gzip.compress(self.other))])
        self.assertEqual(self.cpu(path)[0], 1.5)

    def test_a_signal_deletes_the_temporary_copy(self):
        path = self.archive([("powerlog_1.PLSQL", self.data)])
        program = ("import sys, time; sys.dont_write_bytecode = True; from receipt_tests import receipt\n"
                   "receipt.read = lambda path, *rest: (print(path, flush=True), time.sleep(60))\n"
                   "receipt.main(sys.argv[1:])")
        command = [sys.executable, "-c", program, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(FOLDER)}) as process:
            copied = pathlib.Path(process.stdout.readline().strip())
            self.assertTrue(copied.exists())
            process.terminate()
            self.assertEqual(process.wait(), 143)
        self.assertFalse(copied.exists())

    def test_nothing_is_extracted_and_no_link_is_followed(self):
        outside = self.file(self.other, "outside/powerlog_9.PLSQL")
        before = sorted(self.folder.rglob("*"))
        path = self.archive([("../outside/powerlog_1.PLSQL", self.data), ("../evil", b"x"), ("powerlog_8.PLSQL", str(outside)),
                             ("/tmp/powerlog_0.PLSQL", self.other)])
        self.assertEqual(self.cpu(path)[0], 1.5)
        self.assertEqual(sorted(set(self.folder.rglob("*")) - set(before) - {path}), [self.folder / "temporary"])
        self.assertEqual(outside.read_bytes(), self.other)
        folder = self.folder / "links"
        folder.mkdir()
        (folder / "powerlog_8.PLSQL").symlink_to(outside)
        (folder / "logs").symlink_to(outside.parent)
        self.assert_fails(folder, because="has no powerlog")

    def test_a_temporary_copy_is_private_and_the_original_unchanged(self):
        path, modes = self.archive([("powerlog_1.PLSQL", self.data)]), []
        read = receipt.read

        def watch(place, *rest):
            modes.append(os.stat(place).st_mode & 0o777)
            return read(place, *rest)

        with mock.patch.object(receipt, "read", watch):
            self.cpu(path)
        self.assertEqual(modes, [0o600])
        plain = self.file(self.data, "x.PLSQL")
        plain.chmod(0o400)
        self.cpu(plain)
        self.assertEqual(plain.read_bytes(), self.data)
        self.assertEqual([p.name for p in self.folder.glob("x.PLSQL*")], ["x.PLSQL"])

    def test_entries_in_a_wal_are_noted(self):
        self.file(b"x", "x.PLSQL-wal")
        self.assertIn("PLSQL-wal", self.cpu(self.file(self.data, "x.PLSQL"))[1][0])

    def test_damaged_files(self):
        archive = self.archive([("powerlog_1.PLSQL", self.data * 20), ("z", os.urandom(50_000))]).read_bytes()
        header = tarfile.TarInfo("x")
        header.type, header.size = tarfile.XHDTYPE, 10_000_000
        damaged = {
            "empty": (b"", "is empty"),
            "text": (b"hello\n" * 200, "neither a sysdiagnose nor a SQLite database"),
            "header alone": (receipt.SQLITE + b"\0" * 84, "can't be read"),
            "database cut off": (self.data[:len(self.data) // 2], "can't be read: database disk image is malformed"),
            "page of zeros": (self.data[:4_096] + b"\0" * (len(self.data) - 4_096), "can't be read"),
            "archive cut off": (archive[:-20_000], "can't be read: Compressed file ended"),
            "archive cut off in the database": (archive[:1_500], "can't be read: Compressed file ended"),
            "compressed database cut off": (gzip.compress(self.data + os.urandom(9_000))[:-5_000], "can't be read: Compressed file ended"),
            "damaged compression": (archive[:600] + b"\0" * 40 + archive[640:], "can't be read"),
            "long header": (header.tobuf(tarfile.GNU_FORMAT), "can't be read: an unusual header"),
            "compressed text": (gzip.compress(b"hello"), "neither a sysdiagnose nor"),
        }
        for name, (data, reason) in damaged.items():
            with self.subTest(name):
                self.assert_fails(self.file(data), because=reason)

    def test_without_a_powerlog(self):
        for name, path in {
            "archive": self.archive([("logs/powerlogs/log_2026.EPSQL", self.data), ("logs/powerlogs/powerlog_1.txt", b"")]),
            "empty archive": self.file(self.empty_archive(), "empty.tar"),
        }.items():
            with self.subTest(name):
                self.assert_fails(path, because="has no powerlog, such as logs/powerlogs|neither a sysdiagnose")
        (self.folder / "empty").mkdir()
        self.assert_fails(self.folder / "empty", because="has no powerlog")
        self.assert_fails(self.folder / "missing", because="can't be read: No such file")
        os.mkfifo(self.folder / "pipe")
        self.assert_fails(self.folder / "pipe", because="is not a regular file")

    @staticmethod
    def empty_archive():
        with io.BytesIO() as file:
            tarfile.open(fileobj=file, mode="w").close()
            return file.getvalue()

    def test_limits(self):
        archive = self.archive([(f"{number}", b"x" * 2_000) for number in range(30)] + [("powerlog_1.PLSQL", self.data)])
        folder = self.folder / "folder"
        for number in range(12):
            self.file(b"", f"folder/{number}/x")
        for limit, value, path, reason in [
            ("MEMBERS", 10, archive, "more than 10 members"), ("UNPACKED", 20_000, archive, "more than 20,000 bytes"),
            ("DATABASE", 5_000, archive, "powerlog_1.PLSQL: has more than 5,000 bytes"), ("MEMBERS", 10, folder, "more than 10 folders"),
            ("ROWS", 5, self.file(self.data), "more than 5 rows"), ("SECONDS", -1, self.slow(), "takes more than -1 s"),
        ]:
            with self.subTest(limit=limit, path=path), mock.patch.object(receipt, limit, value):
                self.assert_fails(path, because=reason)

    def slow(self):
        return self.database([(BEGIN + HOUR * n, APP, "CPU", 1.0) for n in range(5_000)], name="slow")


class Databases(Case):
    """Tests of the rows: other schemas and names, impossible values, and the times of hours."""

    def test_another_schema(self):
        def without(table, column=None):
            columns = ", ".join(each for each in TABLES[table].split(", ") if not each.startswith(f"{column} "))
            return {**{name: each for name, each in TABLES.items() if name != table}, **({table: columns} if column else {})}
        schemas = [(without(receipt.ENERGY), f"has no table {receipt.ENERGY}.*version of iOS"),
                   (without(receipt.NODES), f"has no table {receipt.NODES}"),
                   ({"PLNewAgent_Energy": "x INTEGER", "a": "x INTEGER"}, "tables with energy in their names: PLNewAgent_Energy;"),
                   (without(receipt.OFFSETS, "system"), "has no column system; it has ID, timestamp, baseband, kernel")]
        schemas += [(without(receipt.ENERGY, column), f"has no column {column}; it has ID") for column in
                    ("timestamp", "timeInterval", "Energy", "NodeID", "RootNodeID")]
        for tables, reason in schemas:
            with self.subTest(reason):
                self.assert_fails(self.database([], tables=tables), because=reason)

    def test_names_without_regard_to_case_as_in_sql(self):
        tables = {name.upper(): columns.lower() for name, columns in TABLES.items()}
        path = self.database([], tables=tables)
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(f"INSERT INTO {receipt.NODES} (ID, Name) VALUES (1, 'GPS'), (2, '{APP}')")
            connection.execute(f"INSERT INTO {receipt.ENERGY} VALUES (1, {BEGIN + HOUR}, 3600, 4000, 2, 1)")
            connection.commit()
        self.assertEqual(self.result(path)["mWhByAll"], {"GPS": 4})

    def test_a_view_is_not_read(self):
        path = self.database([], tables={receipt.NODES: TABLES[receipt.NODES]})
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(f"CREATE VIEW {receipt.ENERGY} AS WITH RECURSIVE n AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT * FROM n")
        self.assert_fails(path, because="has no table")

    def test_other_names_of_components(self):
        path = self.database(small())
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(f"UPDATE {receipt.NODES} SET Name = 'GNSS' WHERE Name = 'GPS'")
            connection.commit()
        self.assert_fails(path, because="has no name GPS, so this version of iOS has other names")

    def test_without_a_valid_hour(self):
        day = (BEGIN, 86_400, 5_000, APP, "GPS")
        for rows, reason in [([day], "no valid hour, only intervals of 86400 s"), ([], "no valid hour;"),
                             ([(BEGIN, HOUR, "much", APP, "GPS")], "no valid hour;")]:
            with self.subTest(reason):
                self.assert_fails(self.database([], rows=rows), because=reason)

    def test_impossible_rows_are_left_out(self):
        end, impossible = BEGIN + HOUR, [
            (stamp, interval, energy, APP, "GPS") for stamp, interval, energy in [
                (BEGIN, HOUR, None), (BEGIN, HOUR, -5_000.0), (BEGIN, HOUR, "1e"), (BEGIN, HOUR, b"1"), (BEGIN, HOUR, float("inf")),
                (BEGIN, HOUR, 1e12), (None, HOUR, 1.0), ("x", HOUR, 1.0), (0, HOUR, 1.0), (1e18, HOUR, 1.0), (float("-inf"), HOUR, 1.0),
                (BEGIN, None, 1.0), (BEGIN, float("nan"), 1.0)]]
        for row in impossible:
            with self.subTest(row):
                result = self.result(self.database([(end, APP, "GPS", 2.0)], rows=[row]))
                self.assertEqual((result["mWhByAll"], len(result["hours"])), ({"GPS": 2}, 1))
                self.assertRegex(result["notes"][0], "^1 rows are left out")

    def test_a_day_is_not_counted_beside_its_hours(self):
        result = self.result(self.database(small(), rows=[(BEGIN + 2 * HOUR, 86_400, 9e6, APP, "GPS")]))
        self.assertEqual(result["mWhByNode"]["org.example.LocoApp"]["GPS"], 3)

    def test_the_parts_of_an_hour_are_added(self):
        result = self.result(self.database([(BEGIN, APP, "GPS", 1.0), (BEGIN + 3, APP, "GPS", 2.0), (BEGIN + HOUR, APP, "GPS", 4.0)]))
        self.assertEqual([hour["mWh"] for hour in result["hours"]], [{"GPS": 3}, {"GPS": 4}])

    def test_the_newest_offset_before_a_time_counts(self):
        hours = [(BEGIN + HOUR * number, APP, "GPS", 1.0) for number in (0, 1, 2, 3)]
        offsets = [(BEGIN + HOUR * 2.5, 300), (BEGIN + HOUR * 0.5, 120), (BEGIN + HOUR * 1.5, None)]
        result = self.result(self.database(hours, offsets=offsets))
        self.assertEqual([hour["start"][14:16] for hour in result["hours"]], ["02", "02", "02", "05"])
        result = self.result(self.database(hours, tables={name: TABLES[name] for name in (receipt.NODES, receipt.ENERGY)}))
        self.assertEqual(result["hours"][0]["start"][14:16], "00")
        self.assertIn("hours may be some minutes off", result["notes"][0])

    def test_a_missing_name_and_a_duplicate_name(self):
        path = self.database(small())
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(f"UPDATE {receipt.ENERGY} SET RootNodeID = 77 WHERE Energy = 250")
            connection.execute(f"INSERT INTO {receipt.NODES} (ID, Name) VALUES (88, '{APP}')")
            connection.execute(f"UPDATE {receipt.ENERGY} SET NodeID = 88 WHERE Energy = 1500")
            connection.commit()
        self.assertEqual(self.result(path)["mWhByNode"]["org.example.LocoApp"], {"GPS": 3, "CPU": 1.5, "node 77": 0.25})


class Journals(Case):
    def hours(self, journal, count=2):
        """Returns the journal's figures for each of the first hours, and whether the journal covers the hour."""
        hours = [(BEGIN + HOUR * (number + 1), APP, "GPS", 1.0) for number in range(count)]
        result = self.result(self.database(hours), self.file(journal.data, "journal.jsonl"))
        return [(*hour["journal"].values(), hour["isCovered"]) for hour in result["hours"]]

    def test_states(self):
        """The expected values are GPS on, tail, kept running, asleep, looks, wakes, and whether the hour is covered."""
        new = JournalWriter
        for name, journal, first in [
            ("asleep", new().launch(0).line(HOUR, "timer"), (0, 0, 0, 3600, 0, 0, True)),
            ("look and tail", new().launch(0).look(60, 20).line(HOUR, "timer"), (20, 5, 0, 3575, 1, 0, True)),
            ("two looks", new().launch(0).look(60, 20).look(82, 10).line(HOUR, "timer"), (30, 7, 0, 3563, 2, 0, True)),
            ("one look", new().launch(0).look(60, 20).do(80, "acquiring → acquiring (trackingChanged)").line(HOUR, "timer"),
             (20, 5, 0, 3575, 1, 0, True)),
            ("kept running", new().launch(0).keep(60, 600).line(HOUR, "timer"), (0, 0, 600, 3000, 0, 0, True)),
            ("timers while asleep", new().launch(0, ["timer"], "never").line(HOUR, "timer"), (0, 0, 3600, 0, 0, 0, True)),
            ("sources change", new().launch(0).line(600, "wakeSources", sources=["timer"], updates="never").line(HOUR, "timer"), (0, 0, 3000, 600, 0, 0, True)),
            ("no sources", new().launch(0, "all", "never").keep(60, 600).line(HOUR, "timer"), (0, 0, 0, 3600, 0, 0, True)),
            ("off", new().launch(0, ["timer"], "never").do(600, "mode off").line(HOUR, "timer"), (0, 0, 600, 3000, 0, 0, True)),
            ("wakes", new().launch(0).line(9, "regionExit").line(10, "visit").line(11, "visit").line(12, "significantChange")
             .line(13, "motion").line(HOUR, "timer"), (0, 0, 0, 3600, 0, 4, True)),
            ("no wake while running", new().launch(0, ["timer"], "never").line(9, "regionExit").line(HOUR, "timer"), (0, 0, 3600, 0, 0, 0, True)),
            ("terminated", new().launch(0).do(60, "mode gps; waitingSignificantChange → acquiring (lookDue)").line(80, "timer")
             .launch(HOUR - 100).line(HOUR, "timer"), (20, 5, 0, 3575, 1, 0, True)),
            ("released", new().launch(0).do(60, "mode gps").line(80, "timer").line(600, "release").line(HOUR, "timer"),
             (20, 5, 0, 3575, 0, 0, True)),
            ("restarted", new().launch(0).line(1800, "timer").followed(new(BEGIN + 2000).launch(0).line(1600, "timer")),
             (0, 0, 0, 3600, 0, 0, True)),
            ("clock set back before a launch", new().launch(0).line(1800, "timer").followed(new(BEGIN + 900).launch(0).line(2700, "timer")),
             (0, 0, 0, 4500, 0, 0, False)),
            ("lost lines", new().launch(0).line(600, "lost", count=3).look(700, 9).line(HOUR, "timer"), (0, 0, 0, 600, 1, 0, False)),
            ("a launch after lost lines", new().launch(0).line(600, "lost").launch(900).line(HOUR, "timer"), (0, 0, 0, 3300, 0, 0, False)),
            ("ends early", new().launch(0).line(600, "timer"), (0, 0, 0, 600, 0, 0, False)),
            ("begins before", new(BEGIN - 900).launch(0).look(800, 200).line(HOUR * 2, "timer"), (100, 5, 0, 3495, 0, 0, True)),
            ("without its launch", new().line(0, "continues", format=1).look(9, 9).line(HOUR, "timer"), (0, 0, 0, 0, 1, 0, False)),
            ("clock set forward", new().launch(0).line(600, "timer").line(700, "timer", shift=500), (0, 0, 0, 600, 0, 0, False)),
            ("clock set back", new().launch(0).do(590, "mode gps").do(600, "mode off").line(601, "timer", shift=-300)
             .line(700, "timer", shift=-300), (10, 0, 0, 689, 0, 0, False)),
            ("clock corrected", new().launch(0).line(600, "timer").line(900, "timer", shift=-20).line(HOUR, "timer"),
             (0, 0, 0, 3600, 0, 0, True)),
            ("unknown kinds and fields", new().launch(0, new=[1]).line(9, "new", x={}).do(10, ["mode gps"]).line(HOUR, "timer"),
             (0, 0, 0, 3600, 0, 0, True)),
        ]:
            with self.subTest(name):
                hours = self.hours(journal)
                self.assertEqual(tuple(round(value) for value in hours[0][:6]) + hours[0][6:], first)

    def test_a_state_spans_hours_and_files(self):
        journal = JournalWriter().launch(0).keep(HOUR - 100, HOUR).line(2 * HOUR, "timer")
        half = len(journal.lines) // 2
        for number, lines in enumerate((journal.lines[:half], journal.lines[half:]), 1):
            self.file("".join(line + "\n" for line in lines).encode(), f"Journal/journal-00000{number}.jsonl")
        self.file(b"nothing", "Journal/other.jsonl")
        path = self.database([(BEGIN + HOUR, APP, "GPS", 1.0), (BEGIN + 2 * HOUR, APP, "GPS", 1.0)])
        result = self.result(path, self.folder / "Journal")
        self.assertEqual([hour["journal"]["kept running"] for hour in result["hours"]], [100, 3500])

    def test_hours_that_the_powerlog_lacks(self):
        """The powerlog has the first and the sixth hour after `BEGIN`; the app is kept running from 2 h 30 min to 5 h 30 min after `BEGIN`."""
        journal = JournalWriter(BEGIN - HOUR).launch(0)
        for minutes in (30, 90, 200):
            journal.line(60 * minutes, "visit")
        journal.keep(3.5 * HOUR, 3 * HOUR)
        for minutes in (405, 500):
            journal.line(60 * minutes, "visit")
        path = self.database([(BEGIN + HOUR * number, APP, "GPS", 1.0) for number in (1, 6)])
        hours = [hour["journal"] for hour in self.result(path, self.file(journal.data))["hours"]]
        self.assertEqual([(hour["kept running"], hour["asleep"], hour["wakes"]) for hour in hours], [(0, 3600, 1), (1800, 1800, 1)])

    def test_damaged_journals(self):
        good = JournalWriter().launch(0).data
        for name, line, reason in [
            ("text", b"hello", ":3: is not a line of a journal"), ("list", b"[1]", ":3: is not a line of a journal: it is not a JSON object"),
            ("no time", b'{"is":"timer"}', "no valid t, d and is"), ("time as text", b'{"t":"1","d":0,"is":"timer"}', "no valid t"),
            ("huge time", b'{"t":1' + b"0" * 400 + b',"d":0,"is":"timer"}', "no valid t"),
            ("no number", b'{"t":1,"d":NaN,"is":"timer"}', "no valid t"),
            ("negative time", b'{"t":-1,"d":0,"is":"timer"}', "no valid t"), ("flag", b'{"t":true,"d":0,"is":"timer"}', "no valid t"),
            ("nested", b'{"a":' + b"[" * 100_000, "not a line of a journal"), ("bytes", b'{"is":"\xff"}', "not a line of a journal"),
            ("another format", b'{"t":1,"d":0,"is":"launch","format":2}', "its format is not 1"),
        ]:
            with self.subTest(name):
                self.assert_fails(self.database(small()), self.file(good + line + b"\n"), because=reason)
        self.assert_fails(self.database(small()), self.folder / "missing", because="missing: can't be read")
        (self.folder / "empty").mkdir()
        self.assert_fails(self.database(small()), self.folder / "empty", because="has no journal file")
        if os.getuid():
            self.file(b"", "secret").chmod(0)
            self.assert_fails(self.database(small()), self.folder / "secret", because="can't be read: Permission denied")
        os.mkfifo(self.folder / "pipe")
        self.assert_fails(self.database(small()), self.folder / "pipe", because="is not a regular file")
        with mock.patch.object(receipt, "LINE", 50):
            self.assert_fails(self.database(small()), self.file(good), because="the line has more than 50 bytes")
        with mock.patch.object(receipt, "FILE", 50):
            self.assert_fails(self.database(small()), self.file(good), because="more than 50 bytes")

    def test_an_incomplete_last_line_and_an_empty_file_are_ignored(self):
        for data in (JournalWriter().launch(0).line(HOUR, "timer").data + b'{"t":', b"", b"\n"[:0]):
            self.result(self.database(small()), self.file(data))

    def test_impossible_dates(self):
        journal = JournalWriter(receipt.REFERENCE_DATE - 9e10).launch(0).line(60, "timer")
        notes = self.result(self.database(small()), self.file(journal.data))["notes"]
        self.assertIn("the journal covers no time: pass the journal of the same iPhone and days", notes)

    def test_exits_of_the_study_are_counted(self):
        journal = JournalWriter().launch(0).line(HOUR, "timer")
        notes = self.result(self.database(small()), self.file(journal.data))["notes"]
        self.assertFalse([note for note in notes if "exits" in note])
        for text in ("exit region", "exit condition", "exit region", "battery 0.9 unplugged", None, ["exit region"]):
            journal.line(HOUR, "note", text=text)
        notes = self.result(self.database(small()), self.file(journal.data))["notes"]
        self.assertIn("the system reported 2 exits of regions and 1 of conditions with the same circles", notes)

    def test_no_place_is_printed(self):
        journal, energies = synthetic(1, count=20)
        path, file = self.database(energies), self.file(journal.data)
        self.assertIn(b"48.20849", journal.data)
        for words in ([], ["--json"], ["--csv"]):
            _, text, _ = self.run_main(path, file, *words)
            for number in ("48.2", "16.37"):
                self.assertNotIn(number, text)


class Fits(Case):
    POWERS = {"kept running": 8, "GPS on": 110, "wake": 0.6}

    def parameters(self, journal, energies, *words):
        return self.result(self.database(energies), self.file(journal.data), *words)

    def test_exact_energies_give_exact_parameters(self):
        found = self.parameters(*synthetic(1, noise=0))["parameters"]
        for name, power in self.POWERS.items():
            self.assertAlmostEqual(found[name]["value"], power, places=2)
            self.assertLess(found[name]["uncertainty"], 0.01)

    def test_known_parameters_are_within_their_uncertainty(self):
        """For at least 54 of 60 journals, the 95 % interval or the upper limit includes the parameter. The mean half-widths are as expected."""
        within, widths = {name: 0 for name in self.POWERS}, {name: 0 for name in self.POWERS}
        starts = [BEGIN + HOUR * number for number in range(72)]
        for seed in range(60):
            journal, energies = synthetic(seed, noise=0.3)
            joules = [energy[3] * 3.6 for energy in energies if energy[1] == APP]
            with mock.patch.object(receipt, "SAMPLES", 200):
                found = receipt.parameters(list(zip(receipt.Journal([self.file(journal.data)]).hours(starts), joules)))
            for name, power in self.POWERS.items():
                value, half = (found[name].get(key, 0) for key in ("value", "uncertainty"))
                within[name] += power <= found[name]["atMost"] if "atMost" in found[name] else abs(value - power) <= half
                widths[name] += half / power / 60
        for name, width in {"kept running": 0.4, "GPS on": 0.2, "wake": 0.6}.items():
            self.assertGreaterEqual(within[name], 54, name)
            self.assertLess(widths[name], width, name)
            self.assertGreater(widths[name], width / 4, name)

    KEPT = {"100 m": 102.0, "1 km": 60.0, "3 km": 30.0, "duty-cycled": 45.0, "none": 0.0}

    def compared(self, seed, count, noise, marked=True):
        """Returns a journal whose keeper's setting changes with each hour, and the energies of its hours."""
        chance, journal, energies = random.Random(seed), JournalWriter(), []
        journal.launch(0)
        for hour in range(count):
            begin, setting, kept, wakes = hour * HOUR, chance.choice(list(self.KEPT)), chance.choice([600, 1_500, 3_000]), chance.choice([0, 2])
            if marked:
                journal.line(begin, "note", text=f"keeper {setting}")
            for number in range(wakes):
                journal.line(begin + 100 + number, "significantChange", fixes=[journal.PLACE])
            if setting != "none":
                journal.keep(begin + 200, kept)
            gps = chance.choice([0, 30, 200])
            if gps:
                journal.look(begin + 3_300, gps)
                gps += 5
            joules = (self.KEPT[setting] * kept * (setting != "none") + 110 * gps) / 1e3 + 0.6 * wakes
            energies.append((BEGIN + begin + HOUR, APP, "CPU", joules / 3.6 * max(0, chance.gauss(1, noise))))
        return journal.line(count * HOUR, "timer"), energies

    def test_each_compared_setting_has_its_power(self):
        found = self.parameters(*self.compared(1, 120, 0))["parameters"]
        for setting, power in self.KEPT.items():
            if setting != "none":
                result = found["kept running" if setting == "100 m" else f"kept running, {setting}"]
                self.assertAlmostEqual(result["value"], power, places=2)
                self.assertEqual(result["hoursMissing"], 0)
        self.assertAlmostEqual(found["GPS on"]["value"], 110, places=2)
        self.assertNotIn("hoursMissing", found["GPS on"])

    def test_the_hours_of_a_setting_that_is_too_rare_do_not_count_for_the_others(self):
        journal, energies = self.compared(1, 120, 0)
        hours = receipt.Journal([self.file(journal.data)]).hours([BEGIN + HOUR * number for number in range(120)])
        joules = [energy[3] * 3.6 for energy in energies]
        rare = "kept running, 3 km"
        kept = [pair for number, pair in enumerate(zip(hours, joules)) if not pair[0].get(rare, 0) or number < 20]
        found = receipt.parameters(kept)
        self.assertIn("are needed", found[rare]["reason"])
        for setting in ("100 m", "1 km", "duty-cycled"):
            result = found["kept running" if setting == "100 m" else f"kept running, {setting}"]
            self.assertAlmostEqual(result["value"], self.KEPT[setting], places=2)

    def test_the_powers_are_within_their_uncertainty(self):
        with mock.patch.object(receipt, "SAMPLES", 60):
            for seed in range(8):
                found = self.parameters(*self.compared(seed, 150, 0.2))["parameters"]
                for setting in ("1 km", "3 km", "duty-cycled"):
                    result = found[f"kept running, {setting}"]
                    half = result.get("uncertainty", 0)
                    self.assertLess(abs(result.get("value", result.get("atMost")) - self.KEPT[setting]), 2 * half + 5, (seed, setting))
                    missing = max(0, math.ceil(result["hours"] * ((half / receipt.DECISION) ** 2 - 1)))
                    self.assertLessEqual(abs(result["hoursMissing"] - missing), 1)

    def test_the_decision_says_how_many_hours_are_missing(self):
        def lines(count, noise):
            journal, energies = self.compared(2, count, noise)
            text = self.run_main(self.database(energies), self.file(journal.data))[1]
            return [line for line in text.splitlines() if line.startswith("decision: ")]

        known = lines(120, 0)
        self.assertEqual([line.split(": ")[1] for line in known], ["100 m", "1 km", "3 km", "duty-cycled"])
        self.assertTrue(all(line.endswith("known to ±10 mW") for line in known))
        self.assertTrue(any("more hours with it give ±10 mW" in line for line in lines(60, 0.8)))
        self.assertTrue(any("not identified: it occurs in" in line for line in lines(14, 0)))

    def test_the_profile_predicts_only_hours_with_its_own_setting(self):
        journal, energies = self.compared(1, 120, 0)
        result = self.parameters(journal, energies)
        hours = receipt.Journal([self.file(journal.data)]).hours([BEGIN + HOUR * number for number in range(120)])
        own = [energy[3] for energy, hour in zip(energies, hours) if not any(hour[name] for name in receipt.KEEPERS.values())]
        self.assertTrue(0 < len(own) < 120)
        self.assertAlmostEqual(result["mWhCharged"], sum(own), places=2)

    def test_without_a_comparison_there_is_no_decision(self):
        journal, energies = self.compared(3, 60, 0.2, marked=False)
        result = self.parameters(journal, energies)
        self.assertEqual(list(result["parameters"]), ["kept running", "GPS on", "wake"])
        self.assertNotIn("hoursMissing", str(result["parameters"]))
        self.assertNotIn("decision", self.run_main(self.database(energies), self.file(journal.data))[1])

    def test_seconds_with_a_setting_are_also_kept_running(self):
        journal = JournalWriter().launch(0).line(1, "note", text="keeper 3 km").keep(60, 600)
        journal.line(700, "note", text="keeper 100 m").keep(800, 100).launch(1_000).keep(1_100, 50).line(HOUR, "timer")
        figures = receipt.Journal([self.file(journal.data)]).hours([BEGIN])[0]
        self.assertEqual((figures["kept running"], figures["kept running, 3 km"], figures["asleep"]), (750, 600, HOUR - 750))
        for used, expected in zip(receipt.uses(figures), (0.15, 0, 0.6, 0, 0, 0)):
            self.assertAlmostEqual(used, expected)

    def test_what_the_hours_do_not_identify(self):
        def alike(journal):
            for hour in range(30):
                for number in range(hour % 3):
                    journal.line(hour * HOUR + 100 + number * 60, "regionExit").look(hour * HOUR + 101 + number * 60, 20)
            return journal.line(30 * HOUR, "timer")

        cases = {
            "no look": (synthetic(1, looks=False), "GPS on", "it occurs in 0 hours, and 5 are needed"),
            "few hours": (synthetic(1, count=10), "kept running", r"the app is active in \d+ hours, and 12 are needed"),
            "alike": ((alike(JournalWriter().launch(0)), synthetic(1, count=30)[1]), "wake", "these hours don't separate it"),
        }
        for name, (data, parameter, reason) in cases.items():
            with self.subTest(name):
                found = self.parameters(*data)["parameters"][parameter]
                self.assertRegex(found["reason"], reason)
                self.assertNotIn("value", found)
        found = self.parameters(*cases["no look"][0])["parameters"]
        self.assertAlmostEqual(found["kept running"]["value"], 8, delta=found["kept running"]["uncertainty"])

    def test_a_parameter_near_zero_has_an_upper_limit(self):
        found = self.parameters(*synthetic(3, powers=(0, 110, 0.6)))["parameters"]["kept running"]
        self.assertLess(found["atMost"], 5)
        self.assertNotIn("value", found)

    def test_no_parameter_is_negative(self):
        self.assertEqual(receipt.fit([[1.0], [2.0]], [-1.0, -2.0])[1], [0])
        error, solution = receipt.fit([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], [2.0, 1.0, -3.0])
        self.assertEqual((error, solution), ((0.5 ** 2 + 0.5 ** 2 + 9) / 3, [1.5, 0]))

    def test_the_fit_is_the_same_each_time(self):
        data = synthetic(4)
        self.assertEqual(self.parameters(*data), self.parameters(*data))

    def test_hours_with_the_screen_on_or_without_the_journal_are_not_fitted(self):
        journal, energies = synthetic(1, noise=0)
        for number in range(10):
            energies.append((BEGIN + HOUR * (number + 1), APP, "SOCDisplay", 40.0))
        for number in range(5):
            energies.append((BEGIN + HOUR * (100 + number), APP, "CPU", 500.0))
        result = self.parameters(journal, energies)
        self.assertAlmostEqual(result["parameters"]["GPS on"]["value"], 110, places=2)
        self.assertIn("the journal covers 72 of 77 hours; 62 of them, without the app's screen, are fitted", result["notes"])

    def test_the_meaning_of_times(self):
        journal, energies = synthetic(1, offset=-HOUR)
        self.assertIn("the hours fit the journal better with --stamps begin", self.parameters(journal, energies)["notes"])
        result = self.parameters(journal, energies, "--stamps", "begin")
        self.assertEqual([note for note in result["notes"] if "better" in note], [])
        self.assertAlmostEqual(result["parameters"]["GPS on"]["value"], 110, delta=result["parameters"]["GPS on"]["uncertainty"])
        journal, energies = synthetic(1)
        notes = self.parameters(journal, energies, "--stamps", "begin")["notes"]
        self.assertIn("the hours fit the journal better with --stamps end", notes)
        self.assertEqual([note for note in self.parameters(journal, energies)["notes"] if "better" in note], [])

    def test_the_comparison_with_the_profile(self):
        journal, energies = synthetic(1, noise=0, powers=(91, 235, 1))
        result = self.parameters(journal, energies)
        self.assertAlmostEqual(result["mWhCharged"], result["mWhPredicted"][0], places=1)
        _, text, _ = self.run_main(self.database(energies), self.file(journal.data))
        self.assertRegex(text.splitlines()[-1], r"^profile: .* mWh in motion; ratio 0\.\d\d to 1\.00$")
        self.assertRegex(text, r"(?m)^kept running +91.00 ± 0.00 mW \(95 %\) +\d+ +91 mW at rest, 188 mW in motion$")
        journal = JournalWriter().launch(0).line(HOUR, "timer")
        _, text, _ = self.run_main(self.database(small()), self.file(journal.data))
        self.assertRegex(text.splitlines()[-1], "^profile: no comparison")


@unittest.skipUnless(MEASURED.exists(), "needs ../shared/powerlog")
class MeasuredHours(Case):
    """Tests with a database made from the hours of an iPhone 13 Pro Max, with Life360 as the app."""

    LIFE360 = "com.life360.safetymap"

    def setUp(self):
        super().setUp()
        with open(MEASURED) as file:
            self.rows = [(int(row["time"]), row["node"], row["component"], float(row["mWh"]))
                         for row in csv.DictReader(line for line in file if not line.startswith("#"))]
        charged = {}
        for end, node, component, mwh in self.rows:
            if node != "*":
                charged[end, component] = charged.get((end, component), 0) + mwh
        # The energy of the nodes that the file doesn't list is charged to the node `rest`.
        hours = [(end, "rest" if node == "*" else node, component, mwh - charged.get((end, component), 0) * (node == "*"))
                 for end, node, component, mwh in self.rows]
        self.path = self.database([hour for hour in hours if hour[3] > 0])

    def expected(self, is_node, component):
        return sum(mwh for _, node, each, mwh in self.rows if is_node(node) and each == component)

    def test_the_sums_are_those_of_the_file(self):
        result = self.result(self.path, "--app", self.LIFE360)
        for component in ("GPS", "CPU", "BB", "WiFi-Data"):
            self.assertAlmostEqual(result["mWhByNode"][self.LIFE360][component],
                                   self.expected(lambda node: node.startswith(self.LIFE360), component), places=2)
            self.assertAlmostEqual(result["mWhByAll"][component] / self.expected(lambda node: node == "*", component), 1, places=2)
        self.assertAlmostEqual(result["mWhByNode"]["com.apple.routined.Routine"]["GPS"],
                               self.expected(lambda node: node == "com.apple.routined.Routine", "GPS"), places=2)
        # The measurement's README states a mean of 12.7 mW over 332 hours. It counts 15 hours twice, because their energy is stored in two parts.
        self.assertAlmostEqual(sum(result["mWhByNode"][self.LIFE360].values()) / 332, 12.7, delta=0.1)
        self.assertEqual((len(result["hours"]), result["notes"]), (317, []))

    def test_without_loco_app(self):
        self.assert_fails(self.path, because="nothing is charged to org.example.LocoApp in these 317 hours.*com.life360.safetymap")


if __name__ == "__main__":
    unittest.main()
