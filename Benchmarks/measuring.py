"""What the benchmarks of routes and recordings share: they build a program, and write their tables into articles."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARTICLE = ROOT / "Sources/LocoKit/LocoKit.docc/ChoosingABound.md"
# The recorded tracks, if any.
TRACKS = pathlib.Path(os.environ.get("TRACKS", ROOT / "../shared/traces/tracks"))


def need_tracks():
    """Ends the program if there are no tracks: an article's tables have a row for each."""
    if not list(TRACKS.glob("*.gpx")):
        sys.exit("not written: the article needs recorded tracks, and there are none; set TRACKS to their folder")


def built(product, package=ROOT):
    """Builds a product for release, and returns its path. Prints the compiler's output only if it fails."""
    if sys.stderr.isatty():
        print("building", end="\r", file=sys.stderr)
    build = ["swift", "build", "-c", "release", "--product", product]
    done = subprocess.run(build, cwd=package, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    folder = subprocess.run(build + ["--show-bin-path"], cwd=package, check=True, capture_output=True, text=True)
    return pathlib.Path(folder.stdout.strip()) / product


def fill(page, name, text):
    """Returns a page with a text between the lines <!-- name --> and <!-- end -->."""
    begin, end = f"<!-- {name} -->\n", "<!-- end -->"
    if begin not in page or end not in page.split(begin, 1)[1]:
        sys.exit(f"not written: a page lacks the lines <!-- {name} --> and <!-- end -->; add them at the table's place")
    before, rest = page.split(begin, 1)
    return before + begin + "\n" + text.strip() + "\n\n" + end + rest.split(end, 1)[1]
