#!/usr/bin/env python3
"""A server that isn't gpsd, and a control socket that never answers.

usage: hostile.py KIND CONTROL_SOCKET

Prints "port N". Exits at the end of its standard input.
"""
import os
import socket
import sys
import threading
import time

GREETING = b'{"class":"VERSION","release":"\\u001b[2J","rev":"0","proto_major":3,"proto_minor":14}\r\n{"class":"DEVICES","devices":[]}\r\n'
ESCAPES = b'{"class":"ERROR","message":"\\u001b[2J\\u0007\\u202e"}\r\n{"class":"\\u001b[2J"}\r\n{"class":"DEVICE","path":"\\u001b]0;x"}\r\n'


def devices(client):
    """Reports new receivers endlessly."""
    number = 0
    while True:
        client.sendall(b"".join(b'{"class":"DEVICE","path":"/dev/tty%d"}\r\n' % (number + i) for i in range(500)))
        number += 500


def junk(client):
    while True:
        client.sendall(b"".join(os.urandom(20) + b"\n" for _ in range(500)))


def endless(client):
    """Sends a line without an end."""
    while True:
        client.sendall(b"x" * 16384)


def closing(client):
    client.close()


def unread(client):
    """Names a receiver, and reads nothing."""
    client.sendall(b'{"class":"DEVICE","path":"/dev/ttyUSB0"}\r\n')
    time.sleep(3600)


def slow(client):
    while True:
        for byte in ESCAPES:
            client.sendall(bytes([byte]))
            time.sleep(0.1)


def control(client):
    """Sends escapes and control characters, ten times a second."""
    while True:
        client.sendall(ESCAPES)
        time.sleep(0.1)


def mute(client):
    time.sleep(3600)


kind = {function.__name__: function for function in (devices, junk, endless, closing, unread, slow, control, mute)}[sys.argv[1]]


def serve(client):
    try:
        if kind is not mute:
            client.sendall(GREETING)
        kind(client)
    except OSError:
        client.close()


def accept(server):
    while True:
        client, _ = server.accept()
        threading.Thread(target=serve, args=[client], daemon=True).start()


never = socket.socket(socket.AF_UNIX)
never.bind(sys.argv[2])
never.listen(16)
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(16)
threading.Thread(target=accept, args=[server], daemon=True).start()
print("port", server.getsockname()[1], flush=True)
sys.stdin.read()
