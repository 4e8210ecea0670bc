"""Compares the fixes of trips with their GPX, their GeoJSON, and what gpsbabel reads from both."""
import csv
import datetime
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

GPX = "{http://www.topografix.com/GPX/1/1}"
DECIMAL = re.compile(r"-?\d+(\.\d+)?")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def same(first, second, within=1.01e-7):
    return abs((first - second + 180) % 360 - 180) <= within


def gpx(path, segments):
    """Checks rules of GPX's schema for tracks, and that the file has the fixes of the segments."""
    root = tree.parse(path).getroot()
    assert root.tag == GPX + "gpx" and root.attrib["version"] == "1.1" and root.attrib["creator"]
    assert [child.tag for child in root] == [GPX + "metadata", GPX + "trk"], path
    assert [child.tag for child in root[0]] == [GPX + "time"] and TIME.fullmatch(root[0][0].text)
    track = root[1]
    assert all(child.tag == GPX + "trkseg" for child in track)
    assert [len(segment) for segment in track] == [len(segment) for segment in segments], path
    for points, fixes in zip(track, segments):
        for point, (longitude, latitude, time, altitude) in zip(points, fixes):
            assert point.tag == GPX + "trkpt" and set(point.attrib) == {"lat", "lon"}
            assert all(DECIMAL.fullmatch(value) for value in point.attrib.values())
            assert -90 <= float(point.attrib["lat"]) <= 90 and -180 <= float(point.attrib["lon"]) < 180, point.attrib
            assert same(float(point.attrib["lat"]), latitude) and same(float(point.attrib["lon"]), longitude)
            names = ["ele", "time"] if altitude is not None else ["time"]
            assert [child.tag for child in point] == [GPX + name for name in names]
            if altitude is not None:
                assert DECIMAL.fullmatch(point[0].text) and abs(float(point[0].text) - altitude) < 1e-6
            assert TIME.fullmatch(point[-1].text)
            read = datetime.datetime.fromisoformat(point[-1].text.replace("Z", "+00:00")).timestamp()
            assert abs(read - time) < 0.0011, (point[-1].text, time)


def position(value):
    assert isinstance(value, list) and len(value) in (2, 3)
    assert all(isinstance(number, (int, float)) for number in value)
    assert -180 <= value[0] <= 180 and -90 <= value[1] <= 90, value


def geojson(path, segments):
    """Checks rules of RFC 7946, and that the file has the fixes of each segment with two fixes or more. Returns the positions.

    A segment is split where it crosses the 180th meridian: one line gets an additional position at 180°, the other one at -180°. So
    positions on the meridian aren't compared.
    """

    def refuse(name):
        raise ValueError(f"{path} has {name}, which isn't JSON")

    feature = json.loads(path.read_text(), parse_constant=refuse)
    assert feature["type"] == "Feature" and set(feature) == {"type", "geometry", "properties"}
    assert isinstance(feature["properties"], dict)
    lines = []
    if feature["geometry"] is not None:
        assert set(feature["geometry"]) == {"type", "coordinates"} and feature["geometry"]["type"] == "MultiLineString"
        lines = feature["geometry"]["coordinates"]
        assert lines
    for line in lines:
        assert len(line) >= 2
        for value in line:
            position(value)
        # Section 3.1.9: no line crosses the antimeridian.
        assert all(abs(first[0] - second[0]) <= 180 for first, second in zip(line, line[1:])), path
    read = [value for line in lines for value in line if abs(value[0]) != 180]
    fixes = [fix for segment in segments if len(segment) > 1 for fix in segment if abs(fix[0]) != 180]
    assert len(read) == len(fixes), (path, len(read), len(fixes))
    for value, (longitude, latitude, _, altitude) in zip(read, fixes):
        assert value[:2] == [longitude, latitude]
        assert value[2:] == ([] if altitude is None else [altitude])
    return [value for line in lines for value in line]


def table(path):
    """Returns the positions that gpsbabel read."""
    if not path.exists():
        return []
    with open(path) as file:
        return [(float(row["Longitude"]), float(row["Latitude"])) for row in csv.DictReader(file)]


def main():
    folder = pathlib.Path(sys.argv[1])
    names = sorted(path.stem for path in folder.glob("*.expected"))
    assert len(names) >= 5, names
    for name in names:
        # An unknown altitude is null.
        segments = json.loads((folder / f"{name}.expected").read_text())
        gpx(folder / f"{name}.gpx", segments)
        positions = geojson(folder / f"{name}.geojson", segments)
        fixes = [fix[:2] for segment in segments for fix in segment]
        for kind, expected in (("gpx", fixes), ("geojson", positions)):
            rows = table(folder / f"{name}.{kind}.csv")
            assert len(rows) == len(expected), (name, kind, len(rows), len(expected))
            for row, value in zip(rows, expected):
                assert same(row[0], value[0], 1e-6) and same(row[1], value[1], 1e-6), (name, kind, row, value)
        print(f"{name}: {len(fixes)} fixes, {len(positions)} positions, as gpsbabel and Python read them")


main()
