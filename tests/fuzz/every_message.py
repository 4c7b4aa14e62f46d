"""The streams from which fuzzers learn every message of an attachment: every_message.py LIVE PEER [--write]. Fails where a file is another
than it would write, as it is once the version of the protocol is another.

LIVE has what either side says, PEER what a program says to the window that attaches to it, up to its end."""
import os
import re
import struct
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "bridges"))
from viewer import NAME, NONFINITE, OP, REASONS, ZEROS_ABOVE, breakpoint_bytes, number, text  # noqa: E402

with open(os.path.join(HERE, "..", "..", "engine", "live", "message.h"), encoding="utf-8") as header:
    VERSION = int(re.search(r"kProtocol = (\d+);", header.read())[1])
BREAKPOINT = breakpoint_bytes(NAME, "w", 2.5, from_hit=7, identity=1)
OF_SOURCE = breakpoint_bytes(ZEROS_ABOVE, limit=0.5, source="w", identity=2)
OF_OP = breakpoint_bytes(OP, "Mul", op="Mul", identity=3, place=4)


def message(kind, payload=b""):
    return struct.pack("<I", len(payload)) + bytes([kind]) + payload


def greeting(*job):
    rank = number(job[0]) + number(job[1]) + text(job[2]) if job else b""
    return message(1, b"TLIV" + number(VERSION) + number(4711) + text("line_fit") + struct.pack("<d", 1.5e9) + number(0) + rank)


def standing(flags, reason, hit=b"", notice="", frame=b""):
    return message(4, bytes([flags]) + number(3) + number(9) + number(REASONS.index(reason)) + hit + number(2) + number(8) + number(4) +
                   text(notice) + number(len(frame)) + frame)


def frame():
    """A pack with one frame of an op that adds two tensors, one of which has no elements here."""
    texts = [b"", b"Add", b"train.cpp", b"step", b"w", b"block"]
    whole = b"\0" + number(1) + text("float32") + number(1) + number(2) + number(8) + struct.pack("<2f", 1, 2)
    items = number(2) + number(4) + number(1) + number(0) + number(0)
    one = struct.pack("<Q", 21) + number(2) + number(0) + b"\0" + number(1) + number(7) + number(2) + number(3) + number(12) + number(1) + number(5)
    one += struct.pack("<2q", 0, 0) + number(0) * 3 + number(0) + items + items[:1] + items[1:] + number(0) * 3
    return number(len(texts)) + b"".join(number(len(name)) + name for name in texts) + number(1) + whole + number(1) + one


def live():
    requests = [message(2, number(kind) + struct.pack("<q", amount) + breakpoint_bytes(OP)) for kind, amount in enumerate((0, -3, 1, 2, 300))]
    return b"".join((
        greeting(), greeting(1, 4, "job-7"), message(2, b"another viewer is attached"),
        message(1, b"TLIV" + number(VERSION) + number(12)), *requests, message(2, number(5) + struct.pack("<q", 0) + BREAKPOINT),
        message(3), message(4, number(3) + BREAKPOINT + OF_SOURCE + OF_OP), message(5), message(5, number(70_000)), message(6),
        standing(0, "none"), standing(3, "target", notice="no way back", frame=frame()),
        standing(5, "breakpoint", breakpoint_bytes(NONFINITE, identity=9)), message(6, number(2) + number(1) + number(5) + number(2) + number(300)),
    ))


def peer():
    with open(os.path.join(HERE, "corpus", "every-kind.tape"), "rb") as file:
        tape = file.read()
    cut = tape.index(b"TSCK", 600)
    return b"".join((
        greeting(1, 2, "job-7"), message(3, tape[:16]), message(3, tape[16:cut]), standing(0, "none"), message(3, tape[cut:]),
        standing(5, "breakpoint", BREAKPOINT, frame=frame()), message(6, number(1) + number(1) + number(7)), standing(0, "none"), message(5),
    ))


if __name__ == "__main__":
    for path, made in zip(sys.argv[1:3], (live(), peer())):
        if "--write" in sys.argv:
            with open(path, "wb") as file:
                file.write(made)
        else:
            with open(path, "rb") as kept:
                assert kept.read() == made, f"{path} is another than every_message.py writes: write it anew with --write"
