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

PROGRAM, DEFINITIONS, EVENTS, END = 1, 2, 3, 6
NAMES, OP_NAMES, SCOPES, SITES, TYPES = 1, 2, 3, 4, 5

MOST_RECORDS = 32768  # of a chunk

# Each kind of record: its number, and of each field the byte it begins at, its form and what it holds.
# kinds: made by tests/checks/records.py
KINDS = {
    "op": (1, {
        "flags": (1, "B", ""),
        "name": (2, "H", "op name"),
        "site": (4, "I", "site"),
        "ticks": (8, "Q", "ticks"),
        "output": (16, "Q", "tensor"),
        "type": (24, "I", "type"),
        "duration": (28, "I", "span"),
    }),
    "operands": (2, {
        "inputs": (1, "B", ""),
        "outputs": (2, "H", ""),
        "answers": (4, "I", ""),
        "input": (8, "3Q", "tensors"),
    }),
    "output": (3, {
        "index": (2, "H", ""),
        "tensor": (8, "Q", "tensor"),
        "type": (16, "I", "type"),
    }),
    "create": (4, {
        "is_number": (1, "B", ""),
        "mark": (2, "H", ""),
        "site": (4, "I", "site"),
        "tensor": (8, "Q", "tensor"),
        "type": (16, "I", "type"),
        "order": (24, "Q", "order"),
    }),
    "host_read": (5, {
        "mark": (2, "H", ""),
        "site": (4, "I", "site"),
        "tensor": (8, "Q", "tensor"),
        "printed": (16, "Q", ""),
        "order": (24, "Q", "order"),
    }),
    "tensor_name": (6, {
        "name": (4, "I", "name"),
        "tensor": (8, "Q", "tensor"),
        "order": (24, "Q", "order"),
    }),
    "variable": (7, {
        "trainable": (1, "B", ""),
        "name": (4, "I", "name"),
        "handle": (8, "Q", "tensor"),
        "type": (16, "I", "type"),
        "site": (20, "I", "site"),
        "initial": (24, "Q", "order"),
    }),
    "assign": (8, {
        "site": (4, "I", "site"),
        "variable": (8, "Q", "tensor"),
        "value": (16, "Q", "tensor"),
        "order": (24, "Q", "order"),
    }),
    "tape_enter": (9, {
        "flags": (1, "B", ""),
        "tape": (4, "I", "tape"),
        "site": (8, "I", "site"),
        "made": (12, "I", "site"),
        "order": (24, "Q", "order"),
    }),
    "tape_exit": (10, {
        "tape": (4, "I", "tape"),
        "site": (8, "I", "site"),
        "order": (24, "Q", "order"),
    }),
    "tape_pause": (11, {
        "tape": (4, "I", "tape"),
        "site": (8, "I", "site"),
        "order": (24, "Q", "order"),
    }),
    "tape_resume": (12, {
        "tape": (4, "I", "tape"),
        "site": (8, "I", "site"),
        "order": (24, "Q", "order"),
    }),
    "tape_reset": (13, {
        "tape": (4, "I", "tape"),
        "site": (8, "I", "site"),
        "order": (24, "Q", "order"),
    }),
    "tape_consumed": (14, {
        "tape": (4, "I", "tape"),
        "site": (8, "I", "site"),
        "order": (24, "Q", "order"),
    }),
    "tape_destroyed": (15, {
        "tape": (4, "I", "tape"),
        "site": (8, "I", "site"),
        "order": (24, "Q", "order"),
    }),
    "watch": (16, {
        "how": (1, "B", ""),
        "tape": (4, "I", "tape"),
        "watched": (8, "Q", "tensor"),
        "site": (16, "I", "site"),
        "order": (24, "Q", "order"),
    }),
    "silence_begin": (17, {
        "by": (4, "I", "name"),
        "order": (24, "Q", "order"),
    }),
    "silence_end": (18, {
        "order": (24, "Q", "order"),
    }),
    "gradient_ask": (19, {
        "flags": (1, "B", ""),
        "depth": (2, "H", ""),
        "tape": (4, "I", "tape"),
        "targets": (8, "I", ""),
        "sources": (12, "I", ""),
        "site": (16, "I", "site"),
        "call": (24, "Q", ""),
    }),
    "target": (20, {
        "name": (4, "I", "name"),
        "tensor": (8, "Q", "tensor"),
    }),
    "source": (21, {
        "index": (1, "B", ""),
        "name": (4, "I", "name"),
        "tensor": (8, "Q", "tensor"),
    }),
    "backward_begin": (22, {
        "tape": (4, "I", "tape"),
        "ticks": (8, "Q", "ticks"),
        "nodes": (16, "Q", ""),
        "call": (24, "Q", ""),
    }),
    "backward_step": (23, {
        "custom": (1, "B", ""),
        "tape": (4, "I", "tape"),
        "ticks": (8, "Q", "ticks"),
        "output": (16, "Q", "tensor"),
        "index": (24, "Q", ""),
    }),
    "backward_end": (24, {
        "raised": (1, "B", ""),
        "tape": (4, "I", "tape"),
        "ticks": (8, "Q", "ticks"),
        "call": (24, "Q", ""),
    }),
    "result": (25, {
        "result": (1, "B", ""),
        "name": (4, "I", "name"),
        "source": (8, "Q", "tensor"),
        "gradient": (16, "Q", "tensor"),
        "index": (24, "Q", ""),
    }),
    "step_begin": (26, {
        "implied": (1, "B", ""),
        "program": (4, "I", ""),
        "step": (8, "Q", ""),
        "ticks": (16, "Q", "ticks"),
        "order": (24, "Q", "order"),
    }),
    "step_end": (27, {
        "abandoned": (1, "B", ""),
        "program": (4, "I", ""),
        "step": (8, "Q", ""),
        "ticks": (16, "Q", "ticks"),
        "order": (24, "Q", "order"),
    }),
    "scalar": (28, {
        "metric": (4, "I", "name"),
        "value": (8, "d", "f64"),
        "step": (16, "Q", ""),
        "order": (24, "Q", "order"),
    }),
    "function_made": (29, {
        "flags": (1, "B", ""),
        "function": (4, "I", ""),
        "site": (8, "I", "site"),
        "name": (16, "I", "name"),
        "mark": (24, "Q", ""),
    }),
    "function_call": (30, {
        "flags": (1, "B", ""),
        "depth": (2, "H", ""),
        "function": (4, "I", ""),
        "tracing": (8, "Q", "span"),
        "call": (16, "I", ""),
        "site": (20, "I", "site"),
        "trace": (24, "Q", ""),
    }),
    "function_end": (31, {
        "function": (4, "I", ""),
        "ticks": (8, "Q", "ticks"),
        "nodes": (16, "I", ""),
        "duration": (20, "I", "span"),
        "order": (24, "Q", "order"),
    }),
    "trace_argument": (32, {
        "what": (1, "B", ""),
        "name": (4, "I", "name"),
        "key": (8, "I", "name"),
        "given": (12, "I", "name"),
        "type": (16, "I", "type"),
        "alias": (20, "I", ""),
        "index": (24, "Q", ""),
    }),
    "graph_pass": (33, {
        "off": (1, "B", ""),
        "round": (2, "H", ""),
        "pass": (4, "I", "name"),
        "nodes_before": (8, "I", ""),
        "nodes_after": (12, "I", ""),
        "bytes_before": (16, "f", "f32"),
        "bytes_after": (20, "f", "f32"),
        "flops_before": (24, "f", "f32"),
        "flops_after": (28, "f", "f32"),
    }),
    "rewrite": (34, {
        "what": (1, "B", ""),
        "rule": (4, "I", "name"),
        "before": (8, "I", "name"),
        "after": (12, "I", "name"),
        "site": (16, "I", "site"),
    }),
    "batch_fallback": (35, {
        "op": (4, "I", "op name"),
        "site": (8, "I", "site"),
        "rows": (16, "Q", ""),
        "order": (24, "Q", "order"),
    }),
    "message": (36, {
        "severity": (1, "B", ""),
        "text": (4, "I", "name"),
        "site": (8, "I", "site"),
        "order": (24, "Q", "order"),
    }),
    "lost": (37, {
        "thinned": (1, "B", ""),
        "records": (8, "Q", ""),
        "every": (16, "Q", ""),
    }),
    "step_result": (39, {
        "forward": (1, "B", ""),
        "values": (2, "H", ""),
        "given": (4, "H", ""),
        "zero_operands": (6, "H", ""),
        "results": (8, "4H", "masks"),
        "cotangents": (16, "4H", "masks"),
        "output": (24, "Q", "tensor"),
    }),
    "unrolled_loop": (40, {
        "function": (4, "I", ""),
        "trace": (8, "I", ""),
        "op": (12, "I", "name"),
        "site": (16, "I", "site"),
        "rounds": (20, "I", ""),
        "nodes": (24, "I", ""),
        "trace_nodes": (28, "I", ""),
    }),
    "branch": (41, {
        "branch": (1, "B", ""),
        "traced": (2, "H", ""),
        "site": (4, "I", "site"),
        "chooser": (8, "Q", "tensor"),
        "begin": (16, "Q", "tensor"),
        "order": (24, "Q", "order"),
    }),
    "node_branch": (42, {
        "branch": (1, "B", ""),
        "chooser": (8, "Q", "tensor"),
        "inputs": (16, "Q", ""),
        "begin": (24, "Q", "order"),
    }),
    "graph": (43, {
        "name": (4, "I", "name"),
        "function": (8, "I", ""),
        "trace": (12, "I", ""),
    }),
    "recomputation_hint": (44, {
        "op": (4, "I", "name"),
        "site": (8, "I", "site"),
        "bytes": (16, "f", "f32"),
        "flops": (20, "f", "f32"),
    }),
    "trace_parameter": (45, {
        "depth": (2, "H", ""),
        "name": (4, "I", "name"),
        "tensor": (8, "Q", "tensor"),
        "place": (16, "Q", ""),
        "order": (24, "Q", "order"),
    }),
    "trace_result": (46, {
        "depth": (2, "H", ""),
        "tensor": (8, "Q", "tensor"),
        "place": (16, "Q", ""),
        "order": (24, "Q", "order"),
    }),
    "variable_value": (47, {
        "name": (4, "I", "name"),
        "value": (8, "Q", "tensor"),
        "variable": (16, "Q", "tensor"),
        "order": (24, "Q", "order"),
    }),
    "trainable": (48, {
        "trainable": (1, "B", ""),
        "name": (4, "I", "name"),
        "variable": (8, "Q", "tensor"),
        "type": (16, "I", "type"),
        "site": (20, "I", "site"),
        "order": (24, "Q", "order"),
    }),
    "finding": (49, {
        "about": (1, "B", ""),
        "op": (2, "H", "op name"),
        "subject": (4, "I", "name"),
        "reason": (8, "I", "name"),
        "site": (12, "I", "site"),
        "message": (16, "I", "name"),
        "fix": (20, "I", "name"),
        "detail": (24, "I", "name"),
        "target": (28, "I", "name"),
    }),
    "finding_figures": (50, {
        "norm": (8, "d", "f64"),
        "elements": (16, "Q", ""),
        "count": (24, "Q", ""),
    }),
    "finding_step": (51, {
        "op": (2, "H", "op name"),
        "name": (4, "I", "name"),
        "site": (8, "I", "site"),
    }),
    "tensor_values": (52, {
        "flags": (1, "B", ""),
        "zeros": (2, "H", ""),
        "first": (4, "I", ""),
        "tensor": (8, "Q", "tensor"),
        "min": (16, "d", "f64"),
        "max": (24, "d", "f64"),
    }),
    "program_end": (53, {
        "how": (1, "B", ""),
        "type": (4, "I", "name"),
        "code": (8, "I", ""),
        "text": (12, "I", "name"),
        "ticks": (16, "Q", "ticks"),
    }),
    "graph_ask": (54, {
        "tape": (4, "I", "tape"),
        "call": (8, "Q", ""),
    }),
    "replica": (55, {
        "value": (1, "B", ""),
        "index": (2, "H", ""),
        "name": (4, "I", "name"),
        "source": (8, "Q", "tensor"),
        "hash": (16, "Q", ""),
        "order": (24, "Q", "order"),
    }),
    "earlier_tensor": (56, {
        "tensor": (8, "Q", "tensor"),
        "type": (16, "I", "type"),
        "order": (24, "Q", "order"),
    }),
    "graph_wait": (57, {
        "measured": (1, "B", ""),
        "op": (2, "H", "op name"),
        "site": (4, "I", "site"),
        "waited": (8, "Q", "span"),
        "ticks": (16, "Q", "ticks"),
        "order": (24, "Q", "order"),
    }),
    "fused_loop": (58, {
        "loop": (2, "H", ""),
        "graph": (4, "I", "name"),
        "function": (8, "I", ""),
        "trace": (12, "I", ""),
        "op": (16, "I", "op name"),
        "site": (20, "I", "site"),
    }),
    "loop_member": (59, {
        "loop": (2, "H", ""),
        "graph": (4, "I", "name"),
        "function": (8, "I", ""),
        "trace": (12, "I", ""),
        "op": (16, "I", "op name"),
        "site": (20, "I", "site"),
        "share": (24, "f", "f32"),
    }),
    "loop_code": (60, {
        "code": (1, "B", ""),
        "loop": (2, "H", ""),
        "graph": (4, "I", "name"),
        "function": (8, "I", ""),
        "trace": (12, "I", ""),
        "why": (16, "I", "name"),
        "bytes": (20, "I", ""),
        "microseconds": (24, "f", "f32"),
    }),
    "expansion": (61, {
        "name": (4, "I", "name"),
        "ticks": (8, "Q", "ticks"),
        "site": (16, "I", "site"),
        "order": (24, "Q", "order"),
    }),
    "inner_op": (62, {
        "flags": (1, "B", ""),
        "name": (2, "H", "op name"),
        "site": (4, "I", "site"),
        "ticks": (8, "Q", "ticks"),
        "output": (16, "Q", "tensor"),
        "type": (24, "I", "type"),
        "duration": (28, "I", "span"),
    }),
    "inner_operands": (63, {
        "inputs": (1, "B", ""),
        "outputs": (2, "H", ""),
        "first": (4, "I", ""),
        "input": (8, "3Q", "tensors"),
    }),
    "expansion_end": (64, {
        "why": (4, "I", "name"),
        "ticks": (8, "Q", "ticks"),
        "order": (24, "Q", "order"),
    }),
    "untaken": (65, {
        "condition": (4, "I", "name"),
        "source": (8, "Q", "tensor"),
        "site": (16, "I", "site"),
        "use": (20, "I", "site"),
        "order": (24, "Q", "order"),
    }),
    "step_times": (66, {
        "asks": (1, "B", ""),
        "left_out": (4, "I", ""),
        "forward": (8, "Q", "span"),
        "backward": (16, "Q", "span"),
        "update": (24, "Q", "span"),
    }),
    "step_counts": (67, {
        "exchange": (2, "H", "op name"),
        "site": (4, "I", "site"),
        "waited": (8, "Q", "span"),
        "executed": (16, "I", ""),
        "recorded": (20, "I", ""),
        "not_recorded": (24, "I", ""),
        "backward_ops": (28, "I", ""),
    }),
    "call_times": (68, {
        "op": (2, "H", "op name"),
        "calls": (4, "I", ""),
        "took": (8, "Q", "span"),
    }),
    "callers": (69, {
        "first": (1, "B", ""),
        "site": (4, "I", "site"),
        "nearest": (8, "I", "site"),
        "second": (12, "I", "site"),
        "third": (16, "I", "site"),
        "fourth": (20, "I", "site"),
        "order": (24, "Q", "order"),
    }),
}
# end of kinds

# What a tape answers to an op.
RECORDED, NO_WATCHED_INPUT, PAUSED, SILENCED_TAPE = 1, 2, 4, 5
# Flags of an op.
BACKWARD, SILENCED, NO_GRADIENT, HANDLE = 1, 2, 8, 16


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


def mask(indices):
    """A bit for each index below 16; others have none."""
    return sum(1 << index for index in set(indices) if index < 16)


class TapeWriter:
    def __init__(self, path, **facts):
        """`facts` of the program: name, variant, seed, steps and whatever else is worth keeping."""
        self.file = open(path, "wb")
        head = b"\x89TAPE\r\n\x1a" + struct.pack("<HH", 1, 2)
        self.file.write(head + struct.pack("<I", zlib.crc32(head)))
        self.chunks = 0
        self.thread = 1
        self.records, self.events = [], 0
        self.ids = {table: {} for table in (NAMES, OP_NAMES, SCOPES, SITES, TYPES)}
        self.fresh = {table: [] for table in self.ids}
        self.tensors, self.tapes, self.calls, self.silenced, self.paused = 0, 0, 0, 0, False
        facts = {"pid": os.getpid(), "started": int(time.time()), "tick_ns": 1, **facts}
        self.chunk(PROGRAM, number(len(facts)) + b"".join(text(key) + text(str(facts[key])) for key in sorted(facts)))

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

    def record(self, kind, **values):
        """A record of any kind of KINDS. Ids are given as what they stand for: names and op names as texts, types as (shape, dtype).
        Of what is not given the site is the caller's line, ticks are the present moment, the order is the next tensor's, all
        else 0."""
        number_of_kind, fields = KINDS[kind]
        packed = bytearray(32)
        for name, (at, form, holds) in fields.items():
            value = values.pop(name, None)
            if holds == "site":
                value = self.site() if value is None else value
            elif holds == "order" and value is None:
                value = self.tensors + 1
            elif holds == "ticks" and value is None:
                value = time.monotonic_ns()
            elif holds == "name":
                value = self.name(value)
            elif holds == "op name":
                value = self.op_name(value)
            elif holds == "type" and isinstance(value, tuple):
                value = self.type(*value)
            value = value or [0] * int(form[:-1] or 1)
            struct.pack_into("<" + form, packed, at, *(value if isinstance(value, (list, tuple)) else [value]))
        if values:
            raise TypeError(f"a record of kind {kind} has no {' or '.join(sorted(values))}; it has {', '.join(fields)}")
        _, a, h, b, x, y, z = struct.unpack("<BBHIQQQ", packed)
        self.records.append((number_of_kind, a, h, b, x, y, z))
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

    def op_name(self, value):
        return self.define(OP_NAMES, value, lambda: text(value)) if value else 0

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
        initial = self.constant(shape, dtype)
        handle = self.tensor()
        self.record("variable", trainable=int(trainable), name=name, handle=handle, type=(shape, dtype), initial=initial)
        return handle

    def constant(self, shape, dtype="float32", name=None):
        """A tensor from the host."""
        made = self.tensor()
        self.record("create", tensor=made, type=(shape, dtype), order=made)
        if name:
            self.record("tensor_name", name=name, tensor=made)
        return made

    def op(self, name, inputs, shape, dtype="float32", recorded=True, handle=False, differentiable=True, took=0, backward=False):
        """An op that ran, in `took` nanoseconds; returns its output. `handle`: its first input is a variable's handle."""
        made = self.tensor()
        flags = (HANDLE if handle else 0) | (0 if differentiable else NO_GRADIENT) | (BACKWARD if backward else 0)
        flags |= SILENCED if self.silenced else 0
        self.record("op", flags=flags, name=name, output=made, type=(shape, dtype), duration=took)
        answers = RECORDED if recorded else SILENCED_TAPE if self.silenced else PAUSED if self.paused else NO_WATCHED_INPUT
        answers = answers if self.tapes else 0
        for first in range(0, max(len(inputs), 1), 3):
            three = (list(inputs[first:first + 3]) + [0, 0, 0])[:3]
            if first == 0:
                self.record("operands", inputs=min(len(inputs), 255), outputs=1, answers=answers, input=three)
            else:
                self.record("operands", answers=first, input=three)
        return made

    def host_read(self, tensor):
        self.record("host_read", tensor=tensor)

    def assign(self, variable, value):
        self.record("assign", variable=variable, value=value)

    def tape_enter(self, persistent=False, watches_variables=True):
        self.tapes += 1
        self.record("tape_enter", flags=int(persistent) | 2 * int(watches_variables), tape=self.tapes)
        return self.tapes

    def tape_event(self, what, tape):
        """`what`: exit, pause, resume, reset, consumed or destroyed."""
        self.paused = what == "pause" or self.paused and what != "resume"
        self.record("tape_" + what, tape=tape)

    def tape_exit(self, tape):
        self.tape_event("exit", tape)

    def watch(self, tape, watched, by_read=False):
        self.record("watch", how=2 if by_read else 1, tape=tape, watched=watched)

    def silence_begin(self, by):
        """Tapes record nothing up to silence_end; `by` is what does so, such as stop_gradient."""
        self.silenced += 1
        self.record("silence_begin", by=by)

    def silence_end(self):
        self.silenced -= 1
        self.record("silence_end")

    def gradient(self, tape, targets, sources, steps=()):
        """Asks for gradients: targets are (tensor, name), sources (tensor or handle, name, gradient's tensor or None). A step of the
        walk is (output of the forward op, function that writes the step's ops)."""
        self.calls += 1
        self.record("gradient_ask", tape=tape, targets=len(targets), sources=len(sources), call=self.calls)
        for tensor, name in targets:
            self.record("target", name=name, tensor=tensor)
        for index, (tensor, name, _) in enumerate(sources):
            self.record("source", index=min(index, 255), name=name, tensor=tensor)
        if steps:
            self.record("backward_begin", tape=tape, nodes=len(steps), call=self.calls)
            for index, (output, run) in enumerate(steps):
                self.record("backward_step", tape=tape, output=output, index=index)
                run()
            self.record("backward_end", tape=tape, call=self.calls)
        for index, (tensor, name, gradient) in enumerate(sources):
            self.record("result", result=int(gradient is not None), name=name, source=tensor, gradient=gradient or 0, index=index + 1)

    def step_result(self, output, results, cotangents=(), none=(), zero=(), nan=(), infinity=(), zero_operands=()):
        """What the backward step of the op with that output returned for so many inputs: indices of those that got None, all zeros,
        a NaN, an infinity. `cotangents` are masks of the same four of what it was given."""
        self.record("step_result", values=results, given=1, zero_operands=mask(zero_operands),
                    results=[mask(none), mask(zero), mask(nan), mask(infinity)], cotangents=list(cotangents), output=output)

    def step_begin(self, step):
        self.record("step_begin", step=step)

    def step_end(self, step):
        self.record("step_end", step=step)

    def scalar(self, name, value, step):
        self.record("scalar", metric=name, value=value, step=step)

    def message(self, words, severity=0):
        self.record("message", severity=severity, text=words)


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
