"""Functions for the programs that inline style sheets and scripts into the report's page and StateDiagrams/try.html."""

import base64
import hashlib


def read(path):
    return path.read_text(encoding="utf-8").removesuffix("\n")


def digest(text):
    """Returns the hash with which a page's Content-Security-Policy allows an inline element."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
