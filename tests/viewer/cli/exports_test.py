"""Exports a recording in every format and opens each with a tool that is not ours: exports_test.py TAPESCOPE."""
import ast
import csv
import json
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
import zlib

tapescope = sys.argv[1]
scratch = tempfile.TemporaryDirectory()
folder = scratch.name
recording = os.path.join(folder, "run.tape")
subprocess.run([tapescope, "run", "linear-regression", "--steps", "20", "--record", recording], check=True, stdout=subprocess.DEVNULL)
for form, name in (("sqlite", "run.db"), ("npy", "run.npy"), ("svg", "run.svg"), ("png", "run.png"), ("perfetto", "run.json"), ("csv", "run.csv"),
                   ("dot", "run.dot"), ("markdown", "run.md")):
    subprocess.run([tapescope, "export", recording, "--format", form, "-o", os.path.join(folder, name)], check=True,
                   stdout=subprocess.DEVNULL)

db = sqlite3.connect(os.path.join(folder, "run.db"))
assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
assert {name for name, in db.execute("SELECT name FROM about")} == {
    name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'about'")}
sample, steps = db.execute("SELECT sample, steps FROM run").fetchone()
assert sample == "linear-regression" and steps == 20, (sample, steps)
assert db.execute("SELECT count(*), min(step_us) > 0 FROM steps").fetchone() == (20, 1)
losses = [value for value, in db.execute("SELECT value FROM metrics WHERE name = 'loss' ORDER BY step")]
assert len(losses) == 20 and losses[-1] < losses[0], losses
# Every backward op names a forward op, and every producer stands before its reader.
assert db.execute("SELECT count(*) FROM ops WHERE direction = 'backward'").fetchone()[0] > 0
assert db.execute("SELECT count(*) FROM ops o JOIN ops f ON o.forward_op = f.op WHERE f.direction <> 'forward'").fetchone() == (0,)
assert db.execute("SELECT count(*) FROM op_inputs WHERE producer >= op").fetchone() == (0,)
assert db.execute("SELECT count(*) FROM gradients WHERE status = 'value' AND norm IS NULL").fetchone() == (0,)

data = open(os.path.join(folder, "run.npy"), "rb").read()
assert data[:8] == b"\x93NUMPY\x01\x00"
length, = struct.unpack_from("<H", data, 8)
assert (10 + length) % 64 == 0
header = ast.literal_eval(data[10:10 + length].decode())
assert header["shape"] == (20,) and not header["fortran_order"]
names = [name for name, _ in header["descr"]]
assert all(kind in ("<u8", "<f8") for _, kind in header["descr"])
rows = list(struct.iter_unpack("<Q" + "d" * (len(names) - 1), data[10 + length:]))
assert [row[0] for row in rows] == list(range(20))
assert [row[names.index("loss")] for row in rows] == losses
try:
    import numpy
except ImportError:
    pass
else:
    array = numpy.load(os.path.join(folder, "run.npy"))
    assert list(array["loss"]) == losses

drawing = xml.parse(os.path.join(folder, "run.svg")).getroot()
texts = [element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
assert any("Square" in text for text in texts), texts
assert len(list(drawing.iter("{http://www.w3.org/2000/svg}polyline"))) > 3

# The same drawing as pixels: as wide as the other in its two pixels a unit, white paper and something on it.
image = open(os.path.join(folder, "run.png"), "rb").read()
assert image[:8] == b"\x89PNG\r\n\x1a\n" and image[12:16] == b"IHDR"
width, height, depth, colours, *_ = struct.unpack_from(">IIBBBBB", image, 16)
assert (depth, colours) == (8, 2)
assert abs(width - 2 * float(drawing.get("width"))) <= 2 and abs(height - 2 * float(drawing.get("height"))) <= 2
packed, at = b"", 8
while at < len(image):
    size, = struct.unpack_from(">I", image, at)
    kind, body = image[at + 4:at + 8], image[at + 8:at + 8 + size]
    assert struct.unpack_from(">I", image, at + 8 + size)[0] == zlib.crc32(kind + body)
    packed += body if kind == b"IDAT" else b""
    at += 12 + size
raw = zlib.decompress(packed)
assert len(raw) == height * (1 + 3 * width) and len(set(raw)) > 8

if dot := shutil.which("dot"):
    laid_out = subprocess.run([dot, "-Tplain", os.path.join(folder, "run.dot")], check=True, capture_output=True, text=True).stdout
    assert laid_out.startswith("graph ") and laid_out.count("\nnode ") > 5, laid_out[:200]

trace = json.load(open(os.path.join(folder, "run.json")))
assert [e["name"] for e in trace["traceEvents"] if e.get("cat") == "step"] == [f"step {number}" for number in range(1, 21)]
slices = trace["traceEvents"]
assert set(trace) <= {"traceEvents", "displayTimeUnit", "otherData", "metadata"}
assert slices and all(e["ph"] == "X" and {"pid", "tid"} <= set(e) and e["dur"] >= 0 and isinstance(e["ts"], (int, float)) and e["name"] for e in slices)

with open(os.path.join(folder, "run.csv"), newline="") as file:
    table = list(csv.reader(file))
assert len(table) - 1 == db.execute("SELECT count(*) FROM ops").fetchone()[0]
assert len({len(row) for row in table}) == 1, "every row has as many fields as the header"
assert open(os.path.join(folder, "run.dot")).read().startswith("digraph")
assert "linear-regression" in open(os.path.join(folder, "run.md")).read()
