#!/usr/bin/env python3
"""Runs the tracker with a real D-Bus daemon, ModemManager and logind by python-dbusmock, a real gpsd with a simulated receiver, and an HTTP
server in another process.

usage: tests.py TRACKER      KILLS=200 kills the tracker 200 times while it sends (default: 25)
"""
import http.server
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse

MODEM = "/org/freedesktop/ModemManager1/Modems/8"
SECOND = "/org/freedesktop/ModemManager1/Modems/9"
LOCATION = "org.freedesktop.ModemManager1.Modem.Location"
MM, MM_ROOT = "org.freedesktop.ModemManager1", "/org/freedesktop/ModemManager1"
# What a simulated modem does.
SETUP = f"self.UpdateProperties('{LOCATION}', {{'Enabled': args[0], 'SignalsLocation': args[1]}})"
POWER, DISPLAY = "org.freedesktop.UPower", "/org/freedesktop/UPower/devices/DisplayDevice"
LOGIN, LOGIN_ROOT = "org.freedesktop.login1", "/org/freedesktop/login1"


class Requests(http.server.BaseHTTPRequestHandler):
    """Answers as the file `manner` says, and appends the accepted locations to the file `accepted`."""

    def do_POST(self):
        folder = pathlib.Path(sys.argv[2])
        manner = json.loads((folder / "manner").read_text())
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if "json" in self.headers["Content-Type"]:
            locations = [each["id"] for each in json.loads(body)["locations"]]
        else:
            locations = [json.dumps(urllib.parse.parse_qs(body.decode(), strict_parsing=True))] if body else []
        time.sleep(manner.get("seconds", 0))
        status = manner.get("status", 200)
        if self.headers.get("Authorization") != "Bearer secret":
            status = 401
        if len(locations) > manner.get("most", 1_000):
            status = 413
        if manner.get("refuses") and locations:
            first = folder / "refused"
            if not first.exists():
                first.write_text(locations[0])
            if first.read_text() in locations:
                status = 422
        if status == 200:
            with open(folder / "accepted", "a") as file:
                file.writelines(f"{each}\n" for each in locations)
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        if status == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="locations"')
        self.end_headers()
        try:
            self.wfile.write(b'{"result":"ok"}')
        except BrokenPipeError:
            pass

    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def serve(folder, port, certificate=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Requests)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    server.serve_forever()


if sys.argv[1:2] == ["--serve"]:
    serve(sys.argv[2], int(sys.argv[3]), *sys.argv[4:])

import dbus  # noqa: E402
import dbus.lowlevel  # noqa: E402

TRACKER = str(pathlib.Path(sys.argv[1]).resolve())
REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
folder = pathlib.Path(tempfile.mkdtemp())
processes = {}
os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={folder}/bus"


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def start(name, *words, **environment):
    log = open(folder / f"{name}.log", "ab")
    processes[name] = subprocess.Popen(words, env={**os.environ, **environment}, stdin=subprocess.PIPE, stdout=log, stderr=log)


def end(name, sent=signal.SIGTERM):
    process = processes.pop(name)
    process.send_signal(sent)
    began = time.monotonic()
    code = process.wait(10)
    return code, time.monotonic() - began


def log(name):
    return (folder / f"{name}.log").read_text(errors="replace")


def await_(what, condition, seconds=15):
    """Waits until a condition holds: there is nothing else to wait for in another process."""
    limit = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > limit:
            fail(f"timed out: {what}")
        time.sleep(0.05)


def fail(message):
    for name in ("tracker", "gpsd", "modem"):
        if (folder / f"{name}.log").exists():
            print(f"--- {name}\n{log(name)[-3000:]}", file=sys.stderr)
    sys.exit(f"tests.py: {message}")


def check(condition, message):
    if not condition:
        fail(message)


# MARK: - The surroundings

def start_bus():
    (folder / "bus.conf").write_text(
        '<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" '
        '"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd"><busconfig><type>system</type>'
        f'<listen>unix:path={folder}/bus</listen><auth>EXTERNAL</auth><policy context="default"><allow send_destination="*" eavesdrop="true"/>'
        '<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>')
    start("bus", "dbus-daemon", f"--config-file={folder}/bus.conf", "--nofork")
    await_("the bus", (folder / "bus").exists)


def mock(path, service=MM):
    bus = dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"])
    return bus.get_object(service, path)


def has_name(name):
    try:
        return dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"]).name_has_owner(name)
    except dbus.DBusException:
        return False


def start_modem(cell, error=None, sources=0):
    start("modem", sys.executable, "-m", "dbusmock", "--system", "--template", "modemmanager")
    await_("ModemManager", lambda: has_name(MM))
    root = mock(MM_ROOT)
    root.AddSimpleModem(dbus_interface="org.freedesktop.DBus.Mock")
    modem = mock(MODEM)
    places = dbus.Dictionary({dbus.UInt32(1): dbus.String(cell)}, signature="uv")
    properties = {"Enabled": dbus.UInt32(sources), "SignalsLocation": False, "Location": places}
    modem.AddProperties(LOCATION, properties, dbus_interface="org.freedesktop.DBus.Mock")
    code = f"raise dbus.exceptions.DBusException('{error}', name='{MM}.Error.Core.Failed')" if error else SETUP
    modem.AddMethod(LOCATION, "Setup", "ub", "", code, dbus_interface="org.freedesktop.DBus.Mock")
    emit_objects("InterfacesAdded", "oa{sa{sv}}", [dbus.ObjectPath(MODEM), {LOCATION: dbus.Dictionary({}, signature="sv")}])


def setup_of(modem):
    """The sources that the modem looks for, and whether it tells them on the bus."""
    properties = mock(modem).GetAll(LOCATION, dbus_interface="org.freedesktop.DBus.Properties")
    return int(properties["Enabled"]), bool(properties["SignalsLocation"])


def add_second_modem(cell):
    """Adds a modem whose path follows the first one's."""
    places = dbus.Dictionary({dbus.UInt32(1): dbus.String(cell)}, signature="uv")
    properties = {"Enabled": dbus.UInt32(0), "SignalsLocation": False, "Location": places}
    mock(MM_ROOT).AddObject(SECOND, LOCATION, properties, [("Setup", "ub", "", SETUP)], dbus_interface="org.freedesktop.DBus.Mock")
    emit_objects("InterfacesAdded", "oa{sa{sv}}", [dbus.ObjectPath(SECOND), {LOCATION: dbus.Dictionary({}, signature="sv")}])


def emit_objects(name, signature, values):
    mock(MM_ROOT).EmitSignal("org.freedesktop.DBus.ObjectManager", name, signature, values, dbus_interface="org.freedesktop.DBus.Mock")


def enable_modem():
    mock(MODEM).AddMethod(LOCATION, "Setup", "ub", "", SETUP, dbus_interface="org.freedesktop.DBus.Mock")
    mock(MODEM).EmitSignal(f"{MM}.Modem", "StateChanged", "iiu", [3, 6, 1], dbus_interface="org.freedesktop.DBus.Mock")


def emit_sleep(sleeps):
    mock(LOGIN_ROOT, LOGIN).EmitSignal(
        "org.freedesktop.login1.Manager", "PrepareForSleep", "b", [sleeps], dbus_interface="org.freedesktop.DBus.Mock")


def forge_sleep():
    """Sends the tracker logind's signal, as any program may."""
    bus = dbus.bus.BusConnection(os.environ["DBUS_SYSTEM_BUS_ADDRESS"])
    daemon = dbus.Interface(bus.get_object("org.freedesktop.DBus", "/org/freedesktop/DBus"), "org.freedesktop.DBus")
    for name in daemon.ListNames():
        if name.startswith(":") and daemon.GetConnectionUnixProcessID(name) == processes["tracker"].pid:
            signal_ = dbus.lowlevel.SignalMessage(LOGIN_ROOT, "org.freedesktop.login1.Manager", "PrepareForSleep")
            signal_.append(True)
            signal_.set_destination(name)
            bus.send_message(signal_)
            bus.flush()
            return
    fail("the tracker isn't on the bus")


def set_cell(cell):
    places = dbus.Dictionary({dbus.UInt32(1): dbus.String(cell)}, signature="uv")
    mock(MODEM).UpdateProperties(LOCATION, {"Location": places}, dbus_interface="org.freedesktop.DBus.Mock")


def set_manner(**manner):
    (folder / "new").write_text(json.dumps(manner))
    (folder / "new").rename(folder / "manner")


def accepted():
    return (folder / "accepted").read_text().split("\n")[:-1] if (folder / "accepted").exists() else []


def receiver_starts():
    return log("receiver").count("\non") + log("receiver").startswith("on")


def start_receiver(name, *options):
    """Starts a receiver, and returns its port."""
    start(name, sys.executable, str(REPOSITORY / "Tests/GPSDTests/receiver.py"), *options)
    await_("the receiver", lambda: "port" in log(name))
    return log(name).split("port ")[1].split()[0]


def start_gpsd(name, control, port, *devices):
    gpsd = shutil.which("gpsd") or "/usr/sbin/gpsd"
    start(name, gpsd, "-N", "-F", str(folder / control), "-S", str(port), *devices)
    await_("gpsd", (folder / control).exists)


def start_tracker(**settings):
    (folder / "token").write_text("secret\n")
    (folder / "token").chmod(0o600)
    environment = {
        "GPSD_PORT": str(gpsd_port), "GPSD_CONTROL_SOCKET": f"{folder}/control", "STATE_DIRECTORY": str(folder / "state"),
        "RUNTIME_DIRECTORY": str(folder), "DEVICE_ID": "a&b", **settings}
    if "SERVER_URL" in settings:
        environment["SERVER_TOKEN_FILE"] = str(folder / "token")
    start("tracker", TRACKER, **environment)


def status():
    done = subprocess.run([TRACKER, "status", "--json"], capture_output=True, text=True, env={**os.environ, "RUNTIME_DIRECTORY": str(folder)})
    return json.loads(done.stdout) if done.returncode == 0 else {}


def memory(name):
    """The resident memory in MB."""
    text = pathlib.Path(f"/proc/{processes[name].pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) / 1_024


def run_until_located(count=1, **settings):
    """Runs the tracker until it has located itself, and ends it."""
    starts = receiver_starts()
    start_tracker(**settings)
    await_("a fix", lambda: log("receiver").count("off") > starts + count - 1 and status().get("lastFixSecondsAgo") is not None)


try:
    start_bus()
    gpsd_port = free_port()
    receiver_port = start_receiver("receiver", "--speed", "20")
    start_gpsd("gpsd", "control", gpsd_port, f"tcp://127.0.0.1:{receiver_port}")
    start("login", sys.executable, "-m", "dbusmock", "--system", "--template", "logind")
    await_("logind", lambda: has_name(LOGIN))

    start("power", sys.executable, "-m", "dbusmock", "--system", "--template", "upower")
    await_("UPower", lambda: has_name(POWER))

    # The first location, without a modem; then a modem with a cell.
    start_tracker()
    await_("a status", lambda: status().get("state") == "waitingSignificantChange", 30)
    check("waitingSignificantChange" in status()["lastTransition"], "the status doesn't say why the receiver is off")
    check("no cells: ModemManager doesn't answer" in log("tracker"), "a missing ModemManager isn't logged")
    await_("the receiver is off", lambda: log("receiver").count("off") == receiver_starts())
    first = receiver_starts()
    start_modem("262,02,0,1A2B3C,4D5E")
    await_("cells", lambda: status().get("cell") is True)
    set_cell("262,02,0,1A2B3C,4D5E")
    began = time.monotonic()
    set_cell("262,02,0,9F9F9F,4D5E")
    await_("a look in another cell", lambda: receiver_starts() == first + 1, 45)
    check(time.monotonic() - began < 40, "the look came late")
    await_("the receiver is off again", lambda: log("receiver").count("off") == first + 1)
    set_cell("262,02,0,00000000,000000")
    await_("an unregistered modem", lambda: status().get("cell") is False)
    set_cell("262,02,0,9F9F9F,4D5E")
    await_("the cell is back", lambda: status().get("cell") is True)
    check(receiver_starts() == first + 1, "a known cell turned the receiver on")
    print("another cell turns the GPS on once, and the receiver is off in between")
    add_second_modem("262,02,0,777777,4D5E")
    await_("the second modem's setup", lambda: setup_of(SECOND) == (1, True))
    check(f"cells come from the modem {SECOND}" not in log("tracker"), "the second modem's cell counts")
    mock(MM_ROOT).RemoveObject(MODEM, dbus_interface="org.freedesktop.DBus.Mock")
    emit_objects("InterfacesRemoved", "oas", [dbus.ObjectPath(MODEM), [LOCATION]])
    await_("the second modem", lambda: f"cells come from the modem {SECOND}" in log("tracker"))
    check(receiver_starts() == first + 1 and status().get("cell") is True, "a second modem turned the receiver on")
    print("with two modems, the first one's cell counts until it is gone")

    end("modem", signal.SIGKILL)
    await_("ModemManager is gone", lambda: "ModemManager has stopped" in log("tracker") and status().get("cell") is False)
    start_modem("262,02,0,9F9F9F,4D5E")
    await_("ModemManager is back", lambda: status().get("cell") is True)
    end("modem", signal.SIGKILL)
    start_modem("262,02,0,9F9F9F,4D5E", error="Not authorized")
    await_("a refusal", lambda: "ModemManager refuses them (Not authorized)" in log("tracker"))
    end("modem", signal.SIGKILL)
    start_modem("262,02,0,9F9F9F,4D5E", error="device not yet enabled")
    await_("a modem that isn't enabled", lambda: "(device not yet enabled)" in log("tracker"))
    check(status().get("cell") is False, "a modem that isn't enabled has a cell")
    enable_modem()
    await_("a modem that is enabled later", lambda: status().get("cell") is True)
    mock(MODEM).UpdateProperties(LOCATION, {"Enabled": dbus.UInt32(0)}, dbus_interface="org.freedesktop.DBus.Mock")
    await_("another program's setup", lambda: status().get("cell") is False and "has changed the setup of the modem" in log("tracker"))
    await_("the modem is set up again", lambda: status().get("cell") is True, 30)
    end("modem", signal.SIGKILL)
    start_modem("262,02,0,9F9F9F,4D5E", sources=2)
    await_("a modem whose positions are another program's", lambda: "another program uses the modem's positions" in log("tracker"))
    check(setup_of(MODEM) == (2, False) and status().get("cell") is False, "another program's positions are shown to every user")
    mock(MODEM).UpdateProperties(LOCATION, {"Enabled": dbus.UInt32(0)}, dbus_interface="org.freedesktop.DBus.Mock")
    await_("cells when the other program has ended", lambda: status().get("cell") is True)
    end("modem", signal.SIGKILL)
    print("a modem that is gone, returns or refuses is one line in the log each")

    # UPower
    device, mocked = "org.freedesktop.UPower.Device", "org.freedesktop.DBus.Mock"
    mock(DISPLAY, POWER).UpdateProperties(device, {"IsPresent": True, "Percentage": dbus.Double(42.0)}, dbus_interface=mocked)
    await_("the battery", lambda: status().get("batteryPercent") == 42)
    mock(DISPLAY, POWER).UpdateProperties(device, {"IsPresent": False}, dbus_interface=mocked)
    await_("no battery", lambda: status().get("batteryPercent") is None)

    # logind
    check(log("tracker").count("logind") == 0, "logind doesn't answer")
    starts = receiver_starts()
    for sleeps in (False, False, True, True):
        emit_sleep(sleeps)
    await_("the connection closes", lambda: "not connected" in status().get("connection", ""))
    check(receiver_starts() == starts, "a signal without a sleep turned the receiver on")
    emit_sleep(False)
    emit_sleep(False)
    await_("a look after the sleep", lambda: receiver_starts() > starts, 45)
    print("the receiver is closed before the machine sleeps, and the tracker looks afterwards")
    forge_sleep()
    mock(DISPLAY, POWER).UpdateProperties(device, {"IsPresent": True, "Percentage": dbus.Double(41.0)}, dbus_interface=mocked)
    await_("a signal after the forged one", lambda: status().get("batteryPercent") == 41)
    check("not connected" not in status().get("connection", ""), "another program's signal closes the receiver")
    emit_sleep(True)
    await_("the connection closes again", lambda: "not connected" in status().get("connection", ""))
    processes.pop("login").kill()
    start("login", sys.executable, "-m", "dbusmock", "--system", "--template", "logind")
    await_("the connection after a restart of logind", lambda: "not connected" not in status().get("connection", "not connected"))
    print("another program's signal does nothing, and a restart of logind ends the sleep")

    end("bus", signal.SIGKILL)
    processes.pop("login").kill()
    processes.pop("power").kill()
    await_("the bus is gone", lambda: "the system bus is gone" in log("tracker"))
    (folder / "bus").unlink(missing_ok=True)
    start_bus()
    start_modem("262,02,0,9F9F9F,4D5E")
    await_("the bus is back", lambda: status().get("cell") is True, 30)
    # Another program's sources stay on.
    mock(MODEM).UpdateProperties(LOCATION, {"Enabled": dbus.UInt32(2 | 4 | 1)}, dbus_interface=mocked)
    print("the tracker returns to a bus that was killed")
    end("gpsd", signal.SIGKILL)
    (folder / "control").unlink(missing_ok=True)
    start_gpsd("gpsd", "control", gpsd_port, f"tcp://127.0.0.1:{receiver_port}")
    end("tracker", signal.SIGKILL)
    check(setup_of(MODEM)[0] == 7, f"the setup after a kill is {setup_of(MODEM)}")
    start_tracker()
    await_("cells after a kill", lambda: status().get("cell") is True, 30)
    code, seconds = end("tracker")
    check(code == 0 and seconds < 1, f"SIGTERM: exit code {code} after {seconds:.2f} s")
    await_("the modem's own setup", lambda: setup_of(MODEM) == (6, False))
    mock(MODEM).UpdateProperties(LOCATION, {"Enabled": dbus.UInt32(0)}, dbus_interface=mocked)
    print("at its end, also after an earlier kill, the tracker restores the modem's setup")

    # The server
    port = free_port()
    url = f"http://127.0.0.1:{port}/"
    for number in range(4):
        run_until_located(SERVER_URL=url)
        check(end("tracker") [0] == 0, "exit code")
    start_tracker(SERVER_URL=url)
    await_("a queue", lambda: (status().get("queued") or 0) >= 5, 30)
    check("locations wait: the server can't be reached" in log("tracker"), "a server that is down isn't logged")
    set_manner(status=500)
    start("server", sys.executable, __file__, "--serve", str(folder), str(port))
    await_("500", lambda: "the server answers 500" in log("tracker"), 30)
    set_manner(status=302)
    await_("a redirect", lambda: "the server answers 302, a redirect" in log("tracker"), 30)
    check(status().get("queued") >= 5 and not accepted(), "a redirect counts as an answer")
    set_manner(most=1)
    await_("413 is halved", lambda: status().get("queued") == 0, 60)
    check("locations are sent again" in log("tracker"), "the server that accepts again isn't logged")
    check("takes no request of" not in log("tracker"), "a request that is halved is logged")
    total = len(set(accepted()))
    check(total >= 5 and len(accepted()) == total, f"{len(accepted())} locations, {total} different ones")
    check(memory("tracker") < 40 or "debug" in TRACKER, f"the tracker uses {memory('tracker'):.0f} MB")
    print(f"a server that was down, failed and took one location at a time has all {total} locations once; {memory('tracker'):.0f} MB")
    end("tracker")
    set_manner(status=422)
    for number in range(2):
        run_until_located(SERVER_URL=url)
        end("tracker")
    start_tracker(SERVER_URL=url)
    await_("a server that refuses all", lambda: "takes no request of 1 locations (422)" in log("tracker"), 60)
    await_("a queue that a server that refuses all doesn't empty", lambda: (status().get("queued") or 0) >= 2, 60)
    set_manner(refuses=True)
    await_("a location that is refused", lambda: "a location is dropped: the server has refused it" in log("tracker"), 90)
    refused = (folder / "refused").read_text()
    check(refused not in accepted(), "a refused location was accepted")
    set_manner()
    await_("the other locations", lambda: status().get("queued") == 0, 60)
    check(len(accepted()) > total, "the locations after a refused one are lost")
    end("tracker")
    print("a redirect is a failure; a location that is refused alone five times doesn't block the others, and a server that refuses all gets all later")
    (folder / "token").write_text("wrong")
    start_tracker(SERVER_URL=url)
    (folder / "token").write_text("wrong")
    end("tracker")
    environment = {**os.environ, "SERVER_URL": url, "SERVER_TOKEN_FILE": str(folder / "token"), "GPSD_PORT": str(gpsd_port)}
    done = subprocess.run([TRACKER, "check"], capture_output=True, text=True, env=environment)
    check(done.returncode == 1 and "no  server: the server refuses the token (401)" in done.stdout, done.stdout)
    start_tracker(SERVER_URL=url)
    await_("a status", lambda: "state" in status())
    (folder / "other").mkdir(exist_ok=True)
    other = {**environment, "STATE_DIRECTORY": str(folder / "state"), "RUNTIME_DIRECTORY": str(folder / "other")}
    done = subprocess.run([TRACKER], capture_output=True, text=True, env=other, timeout=30)
    check(done.returncode == 73 and "another tracker uses it" in done.stderr, done.stderr)
    end("tracker")
    (folder / "token").chmod(0o644)
    done = subprocess.run([TRACKER, "check"], capture_output=True, text=True, env=environment)
    check(done.returncode == 64 and "can be read by others" in done.stderr, done.stderr)
    (folder / "token").chmod(0o600)
    (folder / "token").write_text("secret")
    done = subprocess.run([TRACKER, "check"], capture_output=True, text=True, env=environment)
    check(done.returncode == 0 and "ok  gpsd" in done.stdout and "ok  server" in done.stdout and "ok  modem" in done.stdout, done.stdout)
    done = subprocess.run([TRACKER, "check"], capture_output=True, text=True, env={**environment, "GPSD_CONTROL_SOCKET": str(folder / "token")})
    check(done.returncode == 1 and "token is no socket" in done.stdout, done.stdout)
    remote = {**environment, "GPSD_HOST": "gpsd.invalid", "GPSD_CONTROL_SOCKET": str(folder / "control")}
    done = subprocess.run([TRACKER, "check"], capture_output=True, text=True, env=remote)
    check(done.returncode == 1 and "no  control socket: " in done.stdout and "is not used" in done.stdout, done.stdout)
    done = subprocess.run([TRACKER, "status", "--jsn"], capture_output=True, text=True)
    check(done.returncode == 64 and "status has no option --jsn" in done.stderr, done.stderr)
    done = subprocess.run([TRACKER, "check"], capture_output=True, text=True, env={**environment, "GPSD_PORT": "1"})
    check(done.returncode == 1 and "no  gpsd: " in done.stdout and "ok  server" in done.stdout, done.stdout)
    empty_port = free_port()
    start_gpsd("empty", "empty", empty_port)
    done = subprocess.run([TRACKER, "check"], capture_output=True, text=True, env={**environment, "GPSD_PORT": str(empty_port)})
    check(done.returncode == 1 and "no  gpsd: gpsd has no receiver" in done.stdout, done.stdout)
    end("empty")
    print("check names a wrong token, a token that others can read, a gpsd that is gone or has no receiver, and what works")

    # Kills while it sends
    kills, chance = int(os.environ.get("KILLS", "25")), random.Random(1)
    set_manner(seconds=0.02)
    for number in range(kills):
        starts = receiver_starts()
        start_tracker(SERVER_URL=url)
        time.sleep(chance.uniform(0.05, 1.2))
        end("tracker", signal.SIGKILL)
    start_tracker(SERVER_URL=url)
    await_("the last locations", lambda: status().get("queued") == 0 and status().get("lastFixSecondsAgo") is not None, 60)
    end("tracker")
    different = list(dict.fromkeys(accepted()))
    by_launch = {}
    for each in different:
        launch, number = each.split("-")
        by_launch.setdefault(launch, []).append(int(number))
    check(all(numbers == sorted(numbers) for numbers in by_launch.values()), "locations arrive out of order")
    check(all(numbers == list(range(numbers[0], numbers[0] + len(numbers))) for numbers in by_launch.values()), "a location is lost")
    print(f"killed {kills} times: {len(different)} locations in order, {len(accepted()) - len(different)} of them twice")

    # OsmAnd, and TLS
    (folder / "accepted").unlink()
    run_until_located(SERVER_URL=url, SERVER_FORMAT="osmand")
    await_("OsmAnd", lambda: len(accepted()) > 0, 30)
    end("tracker")
    fields = json.loads(accepted()[0])
    check(fields["id"] == ["a&b"] and 33 < float(fields["lat"][0]) < 36 and int(fields["timestamp"][0]) > 1_600_000_000, str(fields))

    # A machine whose clock is ten days late, and a queue that can't be used
    (folder / "accepted").unlink()
    late_port = free_port()
    start_gpsd("late", "late", late_port, f"tcp://127.0.0.1:{start_receiver('ahead', '--ahead', '864000')}")
    settings = {"SERVER_URL": url, "SERVER_FORMAT": "osmand", "GPSD_PORT": str(late_port), "GPSD_CONTROL_SOCKET": str(folder / "late")}
    start_tracker(**settings, STATE_DIRECTORY=str(folder / "late-state"))
    await_("a location by the receiver's time", lambda: len(accepted()) > 0, 60)
    end("tracker")
    ahead = int(json.loads(accepted()[0])["timestamp"][0]) - time.time()
    check(863_000 < ahead < 864_100, f"the location's time is {ahead:.0f} s ahead")
    end("late")
    (folder / "broken/queue.jsonl").mkdir(parents=True)
    start_tracker(SERVER_URL=url, STATE_DIRECTORY=str(folder / "broken"))
    await_("a status", lambda: "state" in status(), 30)
    done = subprocess.run([TRACKER, "status"], capture_output=True, text=True, env={**os.environ, "RUNTIME_DIRECTORY": str(folder)})
    check("0 sent, the queue can't be used" in done.stdout, done.stdout)
    end("tracker")
    print("the receiver's time replaces a wrong clock, and status names a queue that can't be used")

    end("server", signal.SIGKILL)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost", "-keyout", str(folder / "key"), "-out", str(folder / "certificate")], check=True, capture_output=True)
    (folder / "both").write_text((folder / "key").read_text() + (folder / "certificate").read_text())
    start("server", sys.executable, __file__, "--serve", str(folder), str(port), str(folder / "both"))
    secure = f"https://localhost:{port}/"
    run_until_located(SERVER_URL=secure)
    await_("an unknown certificate", lambda: "can't be reached" in (status().get("uploadProblem") or ""), 30)
    check(len(accepted()) == 1, "an unknown certificate was trusted")
    end("tracker")
    print("TLS: an unknown certificate is refused")
    check("34." not in log("tracker") and "-118" not in log("tracker"), "a location is in the log")
    check((folder / "state/queue.jsonl").stat().st_mode & 0o77 == 0, "others can read the queue")
finally:
    for process in processes.values():
        process.kill()
    shutil.rmtree(folder, ignore_errors=True)
