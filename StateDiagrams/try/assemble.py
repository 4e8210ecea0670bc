"""Writes the page: try.html with its style sheets, its scripts, the state diagram and the module inlined.

usage: assemble.py MODULE SWIFT-VERSION OUTPUT     MODULE is compressed with gzip, in base64
"""

import base64
import gzip
import pathlib
import re
import sys

folder = pathlib.Path(__file__).resolve().parent
report = folder.parent.parent / "Sources" / "LocoKitDemo" / "Report" / "page"
sys.path.insert(0, str(report))
from inline import digest, read  # noqa: E402

LARGEST = 260_000  # bytes, compressed

module, swift, output = pathlib.Path(sys.argv[1]).read_text(), *sys.argv[2:]
# Without comments and spaces around punctuation, as the script below is without comments.
style = re.sub(r"/\*[^*]*\*/", "", read(report / "report.css") + "\n" + read(folder / "try.css"))
style = re.sub(r"\s*([{};,])\s*", r"\1", style)
views = [report / f"{name}.js" for name in ("common", "canvas", "recording", "map", "timeline", "player", "summary")]
script = "\n".join(map(read, [*views, folder / "try.js"]))
# Without comments, which would be two kilobytes of the page, and without indentation, except in a text of several lines.
script = re.sub(r"(?m)^ *(//|/\*\*).*\n", "", script)
script = "`".join(part if index % 2 else re.sub(r"\n\s*\n", "\n", re.sub(r"(?m)^ +", "", part)) for index, part in enumerate(script.split("`")))
script = script.replace("/*WASM*/", module)
diagram = read(folder.parent / "location.outline.svg")
diagram = re.sub(r"(?s)<!--.*?-->\n?|<style>.*?</style>\n?", "", diagram[diagram.index("<svg"):])
# Half a point is invisible, and the decimals would be a kilobyte of the page.
diagram = re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.0f}", re.sub(r' id="[a-z]+\d+"', "", diagram))
# Defaults, and names of XML, which HTML doesn't need.
diagram = re.sub(r' text-anchor="start"|\s+xmlns(:xlink)?="[^"]*"|scale\(1 1\) rotate\(0\) | (?=")', "", diagram)
diagram = diagram.replace("&#45;&gt;", "->")
font = ' font-family="Helvetica,Arial,sans-serif"'
diagram = diagram.replace(font, "").replace("<svg", f"<svg{font}", 1)
page = re.sub(r"(?m)^ +", "", read(folder / "try.html"))
for name, text in {"SWIFT-VERSION": swift, "STYLE-HASH": digest(style), "SCRIPT-HASH": digest(script), "DIAGRAM": diagram,
                   "STYLE": f"<style>{style}</style>", "SCRIPT": f"<script>{script}</script>"}.items():
    page = page.replace(name, text, 1)
pathlib.Path(output).write_text(page + "\n", encoding="utf-8")
compressed = len(base64.b64decode(module)) + len(gzip.compress(page.replace(module, "").encode()))
print(f"{output}: {len(page)} bytes, {compressed} compressed")
if compressed > LARGEST:
    sys.exit(f"the page has more than {LARGEST} bytes, compressed")
