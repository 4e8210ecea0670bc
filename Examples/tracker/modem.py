#!/usr/bin/env python3
"""A simulated modem that ModemManager reads: AT commands of 3GPP TS 27.007 on an abstract socket, which ModemManager's option --test-enable
takes for a port.

usage: modem.py SOCKET     reads cells as lines "LAC CI", both hexadecimal
"""
import socket
import sys
import threading

REPLIES = {
    "+GCAP": "+GCAP: +CGSM", "+CGMI": "LocoKit", "+CGMM": "Simulated", "+CGSN": "356938035643809", "+CIMI": "262021234567890",
    "+CPIN?": "+CPIN: READY", "+CFUN?": "+CFUN: 1", "+WS46=?": "+WS46: (12,22,25)", "+COPS?": '+COPS: 0,2,"26202",2', "+CGDCONT=?": '+CGDCONT: (1-4),"IP",,,(0),(0)',
}
cell = ["0001", "00000001"]
ports = set()


def reply(command):
    if command in ("+CREG?", "+CGREG?"):
        return f'{command[:-1]}: 2,1,"{cell[0]}","{cell[1]}"'
    return REPLIES.get(command, "")


def serve(port):
    ports.add(port)
    buffer = b""
    try:
        while data := port.recv(4096):
            *lines, buffer = (buffer + data).split(b"\r")
            for line in lines:
                text = reply(line.decode().strip().removeprefix("AT"))
                port.sendall((f"\r\n{text}\r\n" if text else "").encode() + b"\r\nOK\r\n")
    except OSError:
        pass
    ports.discard(port)


def read_cells():
    for line in sys.stdin:
        cell[:] = line.split()
        for port in list(ports):
            # +CREG is the network of calls, and +CGREG the one of data.
            port.sendall("".join(f'\r\n{name}: 1,"{cell[0]}","{cell[1]}"\r\n' for name in ("+CREG", "+CGREG")).encode())


server = socket.socket(socket.AF_UNIX)
server.bind(f"\0{sys.argv[1]}")
server.listen()
threading.Thread(target=read_cells, daemon=True).start()
while True:
    threading.Thread(target=serve, args=[server.accept()[0]], daemon=True).start()
