"""A shared object with tapescope_events can be loaded at run time and records: loading_test.py TAPESCOPE OBJECT LOAD."""
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

tapescope, shared_object, load = sys.argv[1:]


def readelf(option):
    return subprocess.run(["readelf", "-W", option, shared_object], capture_output=True, text=True, check=True).stdout


def check_recording(path):
    done = subprocess.run([tapescope, "explain", path, "--json", "-"], capture_output=True, text=True, check=True)
    assert done.stderr == "", done.stderr
    rows = {row["source"]: row for row in json.loads(done.stdout)["gradients"]}
    assert rows["x"]["status"] == "value", rows
    assert (rows["constant"]["status"], rows["constant"]["reason"]) == ("none", "unused"), rows
    assert rows["constant"]["location"] == "square.c:8", rows


# All of the library is in it, not only what it calls.
symbols = readelf("--symbols")
assert "DebugGate" in symbols and "Pilot" in symbols, "the whole library was to be linked"
# Variables that public headers define are the program's; of functions only the standard library's are passed on.
functions = re.findall(r"\sFUNC\s+(?:GLOBAL|WEAK|UNIQUE)\s+DEFAULT\s+\d+\s+(\w+)", readelf("--dyn-syms"))
assert [name for name in functions if not name.startswith("_ZNSt")] == ["record_one_op"], functions

# 512 bytes are what the C library of Debian sets aside for objects that come later, all of them together.
storage = [int(size, 16) for size in re.findall(r"^\s+TLS(?:\s+0x\w+){4}\s+(0x\w+)", readelf("--segments"), re.MULTILINE)]
assert len(storage) == 1 and 0 < storage[0] < 512, storage
dynamic = readelf("--dynamic")
assert "STATIC_TLS" not in dynamic, dynamic
assert not re.search("_TPOFF", readelf("--relocs")), "initial-exec thread-local storage"
needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
assert not [name for name in needed if re.match(r"lib(open)?(blas|dnnl)", name)], needed

with tempfile.TemporaryDirectory() as folder:
    paths = [os.path.join(folder, name) for name in ("c.tape", "c-thread.tape", "python.tape", "python-thread.tape")]
    subprocess.run([load, shared_object, *paths[:2]], check=True)
    record_one_op = ctypes.CDLL(shared_object).record_one_op
    assert record_one_op(paths[2].encode()) == 0
    returned = []
    thread = threading.Thread(target=lambda: returned.append(record_one_op(paths[3].encode())))
    thread.start()
    thread.join()
    assert returned == [0], returned
    for path in paths:
        check_recording(path)
    # An error is the callers' to handle, not the end of their process.
    assert record_one_op(os.path.join(folder, "no", "folder.tape").encode()) == 1
print(f"{storage[0]} bytes of thread-local storage, {len(needed)} libraries: {', '.join(needed)}")
