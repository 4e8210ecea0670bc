#!/usr/bin/env python3
"""A simulated GPS receiver on a TCP port, which gpsd reads. It is on while a connection is open.

usage: receiver.py [--interval S] [--cold S] [--hdop H] [--speed M/S] [--gst] [--gpx FILE [--faster X]] [--log FILE]
                   [--pty FILE] [--ahead S]

With --pty it is a terminal with that name, like a USB receiver. Its readers get an end of file when it is unplugged.

It starts at 34 N 118 W and moves north at --speed, or it follows a GPX track. Its sentences have the current time, or one that is --ahead of
it. A log of NMEA is sent one epoch at a time, with that time and date.

Prints the lines "port N", "on", "off" and "done COMMAND". Reads the commands "unplug", "plug", "nofix", "fix" and "jump METRES".
"""
import argparse
import math
import os
import pty
import select
import socket
import sys
import time
import tty
import xml.etree.ElementTree

options = argparse.ArgumentParser()
options.add_argument("--interval", type=float, default=0.25)
options.add_argument("--cold", type=float, default=0)
options.add_argument("--hdop", type=float, default=1.0)
options.add_argument("--speed", type=float, default=0)
options.add_argument("--gst", action="store_true")
options.add_argument("--gpx")
options.add_argument("--faster", type=float, default=1)
options.add_argument("--log")
options.add_argument("--pty")
options.add_argument("--ahead", type=float, default=0)
options = options.parse_args()


def say(*words):
    print(*words, flush=True)


def sentence(body):
    checksum = 0
    for character in body:
        checksum ^= ord(character)
    return f"${body}*{checksum:02X}\r\n"


def angle(degrees, width, positive, negative):
    minutes = abs(degrees) * 60
    return f"{int(minutes // 60):0{width}d}{minutes % 60:08.5f},{positive if degrees >= 0 else negative}"


def epoch(latitude, longitude, now, has_fix):
    moment = time.gmtime(now)
    clock = time.strftime("%H%M%S", moment) + f".{int(now % 1 * 100):02d}"
    date = time.strftime("%d%m%y", moment)
    if not has_fix:
        return sentence(f"GPGGA,{clock},,,,,0,00,99.9,,M,,M,,") + sentence("GPGSA,A,1,,,,,,,,,,,,,99.9,99.9,99.9") + \
            sentence(f"GPRMC,{clock},V,,,,,,,{date},,,N")
    north, east = angle(latitude, 2, "N", "S"), angle(longitude, 3, "E", "W")
    text = sentence(f"GPGGA,{clock},{north},{east},1,08,{options.hdop:.1f},90.0,M,-33.0,M,,")
    text += sentence(f"GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,{options.hdop + 0.8:.1f},{options.hdop:.1f},1.5")
    if options.gst:
        text += sentence(f"GPGST,{clock},3.0,,,,3.0,4.0,6.0")
    knots = options.speed * 1.943844
    return text + sentence(f"GPRMC,{clock},A,{north},{east},{knots:.2f},000.0,{date},,,A")


def track(path):
    points = []
    for point in xml.etree.ElementTree.parse(path).iter():
        if point.tag.endswith("trkpt"):
            stamp = next((child.text for child in point if child.tag.endswith("time")), None)
            if stamp:
                seconds = time.mktime(time.strptime(stamp[:19], "%Y-%m-%dT%H:%M:%S"))
                points.append((seconds, float(point.get("lat")), float(point.get("lon"))))
    return [(seconds - points[0][0], latitude, longitude) for seconds, latitude, longitude in points]


def log_epochs(path):
    epochs, now = [], []
    for line in open(path, "rb"):
        line = line.strip().decode("ascii", "replace")
        if line.startswith("$"):
            if line[3:6] == "GGA" and now:
                epochs.append(now)
                now = []
            now.append(line)
    return epochs + [now]


def present(line, now):
    """Returns a sentence of a log with the current time and date."""
    body = line[1:].split("*")[0]
    fields = body.split(",")
    moment = time.gmtime(now)
    clock = time.strftime("%H%M%S", moment) + f".{int(now % 1 * 100):02d}"
    place = {"GGA": 1, "RMC": 1, "GST": 1, "ZDA": 1, "GLL": 5}.get(fields[0][2:5])
    if place and len(fields) > place and fields[place]:
        fields[place] = clock
    if fields[0][2:5] == "RMC" and len(fields) > 9 and fields[9]:
        fields[9] = time.strftime("%d%m%y", moment)
    if fields[0][2:5] == "ZDA" and len(fields) > 4 and fields[2]:
        fields[2:5] = time.strftime("%d,%m,%Y", moment).split(",")
    return sentence(",".join(fields))


points = track(options.gpx) if options.gpx else None
epochs = log_epochs(options.log) if options.log else None
began = time.time()
has_fix, jump, sent = True, 0.0, 0


def place(now):
    if points:
        passed = (now - began) * options.faster
        return next((p for p in points if p[0] >= passed), points[-1])[1:]
    return 34 + (jump + options.speed * (now - began)) / 111_320, -118.0


def listening(port=0):
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("127.0.0.1", port))
    server.listen(4)
    return server


class Terminal:
    """A server on a terminal. Its client is the program that has opened the terminal."""

    def __init__(self, name):
        self.name = name
        self.master, slave = pty.openpty()
        tty.setraw(slave)
        # gpsd runs as another user when it opens the terminal.
        os.chmod(os.ttyname(slave), 0o666)
        os.symlink(os.ttyname(slave), name)
        os.close(slave)
        os.set_blocking(self.master, False)

    def is_open(self):
        poll = select.poll()
        poll.register(self.master, 0)
        return not poll.poll(0)

    def fileno(self):
        return self.master

    def recv(self, count):
        return os.read(self.master, count)

    def sendall(self, data):
        try:
            os.write(self.master, data)
        except BlockingIOError:
            pass

    def close(self):
        """Closes the terminal. A program that has it open reads an end of file."""
        os.unlink(self.name)
        os.close(self.master)


server = Terminal(options.pty) if options.pty else listening()
port = 0 if options.pty else server.getsockname()[1]
say("port", port)
client, on_since, due = None, 0.0, 0.0


def turn_off():
    global client
    if not options.pty:
        client.close()
    client = None
    say("off")


while True:
    inputs = [sys.stdin] + ([server] if server and not client and not options.pty else []) + ([client] if client else [])
    ready, _, _ = select.select(inputs, [], [], max(0, min(1, due - time.time())) if client else 0.02 if options.pty else 1)
    if sys.stdin in ready:
        command = sys.stdin.readline().split()
        if not command:
            sys.exit()
        if command[0] == "unplug":
            server.close()
            server = None
            if client:
                turn_off()
        elif command[0] == "plug":
            server = Terminal(options.pty) if options.pty else listening(port)
        elif command[0] in ("fix", "nofix"):
            has_fix = command[0] == "fix"
        elif command[0] == "jump":
            jump += float(command[1])
        say("done", command[0])
    if client in ready:
        try:
            if not client.recv(4096):
                turn_off()
        except OSError:
            turn_off()
    if options.pty and client and not server.is_open():
        turn_off()
    if server and (server.is_open() and not client if options.pty else server in ready):
        client = server if options.pty else server.accept()[0]
        on_since = due = time.time()
        say("on")
    now = time.time()
    if client and now >= due:
        due += options.interval
        if epochs:
            text = "".join(present(line, now + options.ahead) for line in epochs[sent % len(epochs)])
            sent += 1
        else:
            text = epoch(*place(now), now + options.ahead, has_fix and now - on_since >= options.cold)
        try:
            client.sendall(text.encode())
        except OSError:
            turn_off()
