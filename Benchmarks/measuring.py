"""What the benchmarks of routes and recordings share: they build a program, and write their tables into articles."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARTICLES = ROOT / "Sources/LocoKit/LocoKit.docc"
PAGES = [ARTICLES / "ChoosingABound.md", ARTICLES / "BoundsInFigures.md", ROOT / "Benchmarks/Policies.md"]
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


def write(tables):
    """Writes tables by name into the pages, each between the lines <!-- name --> and <!-- end -->."""
    pages = {path: path.read_text() for path in PAGES}
    for name, text in tables.items():
        begin, end = f"<!-- {name} -->\n", "<!-- end -->"
        found = [path for path, page in pages.items() if end in page.partition(begin)[2]]
        if not found:
            sys.exit(f"not written: no page has the lines {begin.strip()} and {end}; add them at the table's place")
        for path in found:
            before, _, rest = pages[path].partition(begin)
            pages[path] = before + begin + "\n" + text.strip() + "\n\n" + end + rest.partition(end)[2]
    for path, page in pages.items():
        path.write_text(page)
