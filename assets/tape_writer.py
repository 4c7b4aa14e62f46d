"""Writes Tapescope recordings from Python, with nothing but the standard library: the example for programs that are not ours.

Written from engine/recording/format.md alone. Tensors are numbered by the writer; ops may have any name.

    with TapeWriter("mine.tape", name="my-program") as tape:
        w = tape.variable("w", (3,))
        tape.step_begin(0)
        scope = tape.tape_enter()
        read = tape.op("ReadVariableOp", [w], (3,), handle=True)
        loss = tape.op("Sum", [tape.op("Square", [read], (3,))], ())
        tape.tape_exit(scope)
        tape.gradient(scope, [(loss, "loss")], [(w, "w", None)])
        tape.step_end(0)

Run as a program it writes such a recording, in which a gradient is None because the value was cast to an integer type.
"""
import os
import struct
import sys
import time
import zlib

OP, OPERANDS, VARIABLE, CREATE, TAPE_ENTER, TAPE_EXIT, WATCH = 1, 2, 7, 4, 9, 10, 16
GRADIENT_ASK, TARGET, SOURCE, RESULT = 19, 20, 21, 25
STEP_BEGIN, STEP_END, SCALAR, MESSAGE = 26, 27, 28, 36
PROGRAM, DEFINITIONS, EVENTS, END = 1, 2, 3, 6
NAMES, OP_NAMES, SCOPES, SITES, TYPES = 1, 2, 3, 4, 5

MOST_RECORDS = 32768  # of a chunk
RECORDED, NO_WATCHED_INPUT = 1, 2  # a tape's answers to an op
HANDLE, NO_GRADIENT = 16, 8  # an op's flags


def number(value):
    """An unsigned number, seven bits a byte, lowest first."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def text(value):
    data = value.encode()
    return number(len(data)) + data


def folded(value, before):
    """The difference of two 32-bit words; small ones of either sign are small."""
    difference = (value - before) & 0xFFFFFFFF
    return difference * 2 if difference < 0x80000000 else (0x100000000 - difference) * 2 - 1


class TapeWriter:
    def __init__(self, path, **facts):
        """`facts` tell of the program: name, variant, seed, steps and whatever else is worth keeping."""
        self.file = open(path, "wb")
        head = b"\x89TAPE\r\n\x1a" + struct.pack("<HH", 1, 0)
        self.file.write(head + struct.pack("<I", zlib.crc32(head)))
        self.chunks = 0
        self.thread = 1
        self.records, self.events = [], 0
        self.ids = {table: {} for table in (NAMES, OP_NAMES, SCOPES, SITES, TYPES)}
        self.fresh = {table: [] for table in self.ids}
        self.tensors, self.tapes, self.calls = 0, 0, 0
        told = {"pid": os.getpid(), "started": int(time.time()), "tick_ns": 1, **facts}
        self.chunk(PROGRAM, number(len(told)) + b"".join(text(key) + text(str(told[key])) for key in sorted(told)))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.close("finished" if kind is None else f"ended by {kind.__name__}")

    # --- chunks

    def chunk(self, kind, payload):
        head = b"TSCK" + struct.pack("<BBHIIQI", kind, 0, 0, len(payload), len(payload), self.chunks, zlib.crc32(payload))
        self.file.write(head + struct.pack("<I", zlib.crc32(head)) + payload)
        self.chunks += 1

    def flush(self):
        """Writes what is held back: definitions first, then the records that use them."""
        defined = b"".join(bytes([table]) + number(len(entries)) + b"".join(entries)
                           for table, entries in self.fresh.items() if entries)
        if defined:
            self.chunk(DEFINITIONS, b"\0" + defined)
            self.fresh = {table: [] for table in self.ids}
        if not self.records:
            return
        out = number(1) + number(self.thread) + number(len(self.records))
        out += bytes(record[0] for record in self.records) + bytes(record[1] for record in self.records)
        columns = [bytearray() for _ in range(8)]
        before = {}
        for kind, _, h, b, x, y, z in self.records:
            words = [h, b, x & 0xFFFFFFFF, x >> 32, y & 0xFFFFFFFF, y >> 32, z & 0xFFFFFFFF, z >> 32]
            last = before.get(kind, [0] * 8)
            for column, value, old in zip(columns, words, last):
                column += number(folded(value, old))
            before[kind] = words
        for column in columns:
            out += number(len(column)) + column
        self.chunk(EVENTS, out)
        self.events += len(self.records)
        self.records = []

    def close(self, reason="finished"):
        self.flush()
        self.chunk(END, number(self.events) + number(0) + number(0) + text(reason) + number(0))
        self.file.close()

    def record(self, kind, a=0, h=0, b=0, x=0, y=0, z=0):
        self.records.append((kind, a, h, b, x, y, z))
        if len(self.records) == MOST_RECORDS:
            self.flush()

    # --- ids

    def define(self, table, key, entry):
        ids = self.ids[table]
        if key not in ids:
            ids[key] = len(ids) + 1
            self.fresh[table].append(number(ids[key]) + entry())
        return ids[key]

    def name(self, value):
        return self.define(NAMES, value, lambda: text(value)) if value else 0

    def site(self):
        """The line outside of this file that led here."""
        frame = sys._getframe(1)
        while frame.f_code.co_filename == __file__ and frame.f_back and frame.f_code.co_name != "example":
            frame = frame.f_back
        place = (os.path.basename(frame.f_code.co_filename), frame.f_code.co_name, frame.f_lineno)
        return self.define(SITES, place, lambda: text(place[0]) + text(place[1]) + number(place[2]) + number(0))

    def type(self, shape, dtype):
        key = (dtype, tuple(shape))
        return self.define(TYPES, key, lambda: text(dtype) + number(len(shape)) + b"".join(number(size) for size in shape))

    def tensor(self):
        self.tensors += 1
        return self.tensors

    # --- what happened

    def variable(self, name, shape, dtype="float32", trainable=True):
        """A variable; returns its handle."""
        site, kind = self.site(), self.type(shape, dtype)
        initial = self.tensor()
        self.record(CREATE, b=site, x=initial, y=kind)
        handle = self.tensor()
        self.record(VARIABLE, a=int(trainable), b=self.name(name), x=handle, y=kind | site << 32, z=initial)
        return handle

    def constant(self, shape, dtype="float32"):
        made = self.tensor()
        self.record(CREATE, b=self.site(), x=made, y=self.type(shape, dtype))
        return made

    def op(self, name, inputs, shape, dtype="float32", recorded=True, handle=False, differentiable=True, took=0):
        """An op that ran, in `took` nanoseconds; returns its output. `handle`: its first input is a variable's handle."""
        made = self.tensor()
        flags = (HANDLE if handle else 0) | (0 if differentiable else NO_GRADIENT)
        op = self.define(OP_NAMES, name, lambda: text(name))
        self.record(OP, a=flags, h=op, b=self.site(), x=time.monotonic_ns(), y=made, z=self.type(shape, dtype) | took << 32)
        answers = (RECORDED if recorded else NO_WATCHED_INPUT) if self.tapes else 0
        for first in range(0, max(len(inputs), 1), 3):
            x, y, z = (list(inputs[first:first + 3]) + [0, 0, 0])[:3]
            self.record(OPERANDS, a=len(inputs), h=1, b=answers if first == 0 else first, x=x, y=y, z=z)
        return made

    def tape_enter(self, persistent=False, watches_variables=True):
        self.tapes += 1
        self.record(TAPE_ENTER, a=int(persistent) | 2 * int(watches_variables), b=self.tapes, x=self.site(), z=self.tensors + 1)
        return self.tapes

    def tape_exit(self, tape):
        self.record(TAPE_EXIT, b=tape, x=self.site(), z=self.tensors + 1)

    def gradient(self, tape, targets, sources):
        """Asks for gradients: targets are (tensor, name), sources (tensor or handle, name, gradient's tensor or None)."""
        self.calls += 1
        self.record(GRADIENT_ASK, b=tape, x=len(targets) | len(sources) << 32, y=self.site(), z=self.calls)
        for tensor, name in targets:
            self.record(TARGET, b=self.name(name), x=tensor)
        for index, (tensor, name, _) in enumerate(sources):
            self.record(SOURCE, a=index & 0xFF, b=self.name(name), x=tensor)
        for index, (tensor, _, gradient) in enumerate(sources):
            self.record(RESULT, a=int(gradient is not None), x=tensor, y=gradient or 0, z=index)

    def step_begin(self, step):
        self.record(STEP_BEGIN, x=step, y=time.monotonic_ns())

    def step_end(self, step):
        self.record(STEP_END, x=step, y=time.monotonic_ns())

    def scalar(self, name, value, step):
        self.record(SCALAR, b=self.name(name), x=struct.unpack("<Q", struct.pack("<d", value))[0], y=step)

    def message(self, words, severity=0):
        self.record(MESSAGE, a=severity, b=self.name(words), x=self.site())


def example(path):
    with TapeWriter(path, name="from-python", seed=7, steps=3) as tape:
        w, count = tape.variable("w", (3,)), tape.variable("count", (3,))
        for step in range(3):
            tape.step_begin(step)
            block = tape.tape_enter()
            read = tape.op("ReadVariableOp", [w], (3,), handle=True, took=400)
            whole = tape.op("Cast", [tape.op("ReadVariableOp", [count], (3,), handle=True)], (3,), dtype="int32")
            back = tape.op("Cast", [whole], (3,), recorded=False)
            loss = tape.op("MyOwnLoss", [read, back], (), took=2500)
            tape.tape_exit(block)
            tape.gradient(block, [(loss, "loss")], [(w, "w", tape.constant((3,))), (count, "count", None)])
            tape.scalar("loss", 1 / (step + 1), step)
            tape.step_end(step)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: tape_writer.py FILE.tape")
    example(sys.argv[1])
