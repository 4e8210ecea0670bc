"""Writes try.html with its style sheets, its scripts, the state diagram and the module inlined.

usage: assemble.py MODULE SWIFT-VERSION OUTPUT     MODULE is compressed with gzip, in base64
"""

import base64
import hashlib
import pathlib
import re
import sys

folder = pathlib.Path(__file__).parent
report = folder.parent.parent / "Sources" / "LocoKitDemo" / "Report" / "page"
LARGEST = 260_000  # bytes, compressed


def read(path):
    return path.read_text(encoding="utf-8").removesuffix("\n")


def digest(text):
    """The hash by which the page's Content-Security-Policy allows an inline element."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


module, swift, output = sys.argv[1:]
style = read(report / "report.css") + "\n" + read(folder / "try.css")
views = [report / f"{name}.js" for name in ("common", "canvas", "recording", "map", "timeline", "player", "summary")]
script = "\n".join(map(read, [*views, folder / "try.js"])).replace("/*WASM*/", pathlib.Path(module).read_text())
diagram = read(folder.parent / "location.svg")
diagram = re.sub(r"<!--.*?-->\n?", "", diagram[diagram.index("<svg"):])
page = read(folder / "try.html")
for name, text in {"SWIFT-VERSION": swift, "STYLE-HASH": digest(style), "SCRIPT-HASH": digest(script), "DIAGRAM": diagram,
                   "STYLE": f"<style>{style}</style>", "SCRIPT": f"<script>{script}</script>"}.items():
    page = page.replace(name, text, 1)
pathlib.Path(output).write_text(page + "\n", encoding="utf-8")
compressed = len(base64.b64decode(pathlib.Path(module).read_text())) + len(
    __import__("gzip").compress(page.replace(pathlib.Path(module).read_text(), "").encode()))
print(f"{output}: {len(page)} bytes, {compressed} compressed")
if compressed > LARGEST:
    sys.exit(f"the page has more than {LARGEST} bytes, compressed")
