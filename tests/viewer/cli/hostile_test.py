"""Small recordings that ask for much cost little: hostile_test.py TAPESCOPE [PROGRAM].

Each is well-formed: scopes within each other, one long text that everything names, a thread a record, and chunks of 16 MiB that pack
to some hundred bytes. Every command that reads them ends by itself, in seconds, with at most 256 MiB and ten times the file."""
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import zlib

tapescope = sys.argv[1]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "assets"))
import tape_writer  # noqa: E402, it is no package
from tape_writer import DEFINITIONS, EVENTS, NAMES, SCOPES, SITES, TapeWriter, number, text  # noqa: E402

VALUES, PROGRAM = 7, 1
CHUNK = 16 << 20
SECONDS = 30
COMMANDS = (["explain"], ["check"], ["report"], ["doctor"], ["export", "--format", "svg", "-o", "OUT"], ["export", "--format", "perfetto", "-o", "OUT"])


def packed(pieces):
    """What stands for the pieces, packed as zstd does, and their size: a piece is bytes, or (byte, how often)."""
    blocks, size, most = [], 0, 128 << 10
    for piece in pieces:
        if isinstance(piece, bytes):
            blocks += [(0, len(piece[i:i + most]), piece[i:i + most]) for i in range(0, len(piece), most)]
            size += len(piece)
        else:
            byte, count = piece
            blocks += [(1, min(most, count - i), byte) for i in range(0, count, most)]
            size += count
    out = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", size)
    for index, (repeats, count, data) in enumerate(blocks):
        out += struct.pack("<I", count << 3 | repeats << 1 | (index == len(blocks) - 1))[:3] + data
    return out, size


class Bomb(TapeWriter):
    def packed_chunk(self, kind, *pieces):
        payload, size = packed(pieces)
        head = b"TSCK" + struct.pack("<BBHIIQI", kind, 1, 0, len(payload), size, self.chunks, zlib.crc32(payload))
        self.file.write(head + struct.pack("<I", zlib.crc32(head)) + payload)
        self.chunks += 1

    def one_step(self, step=0):
        w = self.variable("w", (3,))
        self.step_begin(step)
        block = self.tape_enter()
        loss = self.op("Sum", [self.op("ReadVariableOp", [w], (3,), handle=True)], ())
        self.tape_exit(block)
        self.gradient(block, [(loss, "loss")], [(w, "w", None)])
        self.step_end(step)
        self.flush()


def deep_scopes(tape, depth=200_000):
    tape.name("block")
    tape.flush()
    tape.chunk(DEFINITIONS, b"\0" + bytes([SCOPES]) + number(depth) + b"".join(number(i + 1) + number(i) + number(1) for i in range(depth)))
    tape.chunk(DEFINITIONS, b"\0" + bytes([SITES, 1]) + number(99_999) + text("a.py") + text("f") + number(3) + number(depth))
    tape.site = lambda: 99_999
    tape.one_step()


def long_scopes(tape):
    """Each of a thousand scopes inside the one before has a name of 4 KiB."""
    tape.name("x" * 4096)
    tape.flush()
    tape.chunk(DEFINITIONS, b"\0" + bytes([SCOPES]) + number(1000) + b"".join(number(i + 1) + number(i) + number(1) for i in range(1000)))
    tape.chunk(DEFINITIONS, b"\0" + bytes([SITES]) + number(1000) +
               b"".join(number(90_000 + i) + text("a.py") + text("f") + number(3) + number(i + 1) for i in range(1000)))
    sites = iter(range(1000))
    tape.site = lambda: 90_000 + next(sites, 999)
    w = tape.variable("w", (3,))
    tape.step_begin(0)
    for _ in range(1000):
        w = tape.op("Neg", [w], (3,))
    tape.step_end(0)


def many_threads(tape, late=False, count=200_000):
    w = tape.variable("w", (3,))
    for step in range(3):
        tape.step_begin(step)
        tape.op("Sum", [w], ())
        tape.step_end(step)
    begun = [record for record in tape.records if record[0] == 1]
    ticks = begun[0][4] if late else 0
    tape.step_begin(3)
    tape.flush()
    # One record a batch, each of another thread; where they are late they are of a step that is over.
    kind = 1 if late else 4
    columns = [b"\0" * count for _ in range(8)]
    if late:
        for word, value in ((2, ticks & 0xFFFFFFFF), (3, ticks >> 32)):
            columns[word] = number(tape_writer.folded(value, 0)) + b"\0" * (count - 1)
    tape.chunk(EVENTS, number(count) + b"".join(number(i + 2) + number(1) for i in range(count)) + bytes([kind]) * count + b"\0" * count +
               b"".join(number(len(column)) + column for column in columns))
    tape.step_end(3)


def frame_of_one_name(items, size):
    frame = struct.pack("<Q", 0) + number(1) + number(0) + b"\0" + number(0) * 6 + b"\0" * 16 + number(0) * 4
    return (number(0) * 5 + number(2) + text("") + text("a" * size) + number(0) + number(1) + frame + number(items) +
            (number(1) + number(0)) * items + number(0) * 4)


def packed_values(tape):
    tape.one_step()
    for step in range(100):
        head = number(0) + number(step) + number(1) + number(1) + number(0) + number(0)
        tape.packed_chunk(VALUES, head, (b"\0", CHUNK - len(head)))


def packed_names(tape):
    """Names of 100 KB each, of which all but the first bytes are one byte again and again."""
    tape.one_step()
    for chunk in range(50):
        pieces = [b"\0" + bytes([NAMES]) + number(160)]
        for i in range(160):
            pieces += [number(1000 + chunk * 160 + i) + number(100_000) + b"%08d" % (chunk * 160 + i), (b"a", 99_992)]
        tape.packed_chunk(DEFINITIONS, *pieces)


def many_scopes(tape):
    """A scope takes a few bytes."""
    tape.one_step()
    count = 400_000
    for first in range(1, 5 * count, count):
        tape.chunk(DEFINITIONS, b"\0" + bytes([SCOPES]) + number(count) + b"".join(number(first + i) + number(0) + number(1) for i in range(count)))


def packed_events(tape):
    """A million and a half scalars in some hundred bytes, again and again."""
    tape.one_step()
    count = 1_500_000
    column = (number(count), (b"\0", count))
    for _ in range(60):
        tape.packed_chunk(EVENTS, number(1) + number(1) + number(count), (bytes([tape_writer.KINDS["scalar"][0]]), count), (b"\0", count),
                          *column * 8)


def packed_facts(tape):
    for chunk in range(50):
        pieces = [number(150)]
        for i in range(150):
            pieces += [text("%d-%d" % (chunk, i)) + number(100_000), (b"a", 100_000)]
        tape.packed_chunk(PROGRAM, *pieces)
    tape.one_step()


def run(words, folder):
    """(exit code or None after SECONDS, seconds, bytes at most, what it said)."""
    begin = time.monotonic()
    with open(os.path.join(folder, "said"), "w+b") as said:
        child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=said)
        pid = 0
        while pid == 0 and time.monotonic() - begin < SECONDS:
            time.sleep(0.01)
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid == 0:
            child.kill()
            child.wait()
            return None, SECONDS, 0, ""
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        return child.returncode, time.monotonic() - begin, usage.ru_maxrss * 1024, said.read().decode(errors="replace")


BOMBS = {
    "deep scopes": deep_scopes,
    "long scopes": long_scopes,
    "a thread a record": many_threads,
    "a thread a late record": lambda tape: many_threads(tape, late=True),
    "one name of many": lambda tape: (tape.one_step(), tape.chunk(VALUES, frame_of_one_name(100_000, 8 << 20))),
    "packed values": packed_values,
    "packed names": packed_names,
    "many scopes": many_scopes,
    "packed events": packed_events,
    "packed facts": packed_facts,
}

with tempfile.TemporaryDirectory() as folder:
    path, out, wrong = os.path.join(folder, "bomb.tape"), os.path.join(folder, "out"), []
    for name, bomb in BOMBS.items():
        with Bomb(path, name="bomb") as tape:
            bomb(tape)
        most = (256 << 20) + 10 * os.path.getsize(path)
        for command in COMMANDS:
            words = [tapescope, command[0], path] + [out if word == "OUT" else word for word in command[1:]]
            code, seconds, used, said = run(words, folder)
            line = f"{name} ({os.path.getsize(path)} bytes), {' '.join(command[:3])}: exit code {code}, {seconds:.1f} s, {used >> 20} MiB"
            if "--verbose" in sys.argv:
                print(line, said.strip()[:200])
            if code not in (0, 1, 3) or said.count("\n") > 2 or used > most:
                wrong.append(f"{line} {said[-300:]}")
    assert not wrong, "\n" + "\n".join(wrong)
