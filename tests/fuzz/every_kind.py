"""The recording from which fuzzers learn every kind of record: every_kind.py FILE [--write]. Fails where FILE is another than it would write.

Two steps of training, the second with a record of each kind that assets/tape_writer.py knows, all of whose names, types, tensors and
numbers are there; then 64 steps more, and digests that stand for both."""
import io
import os
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "assets"))
import tape_writer  # noqa: E402, it is no package

SHAPE = (2, 3)
DIGEST_OF_STATISTICS, DIGEST = 9, 10
ENDS = ("step_begin", "step_end", "program_end")  # these stand where they belong


class DigestingWriter(tape_writer.TapeWriter):
    digested = None  # of a digest that is made its steps and the source of their replicas

    def chunk(self, kind, payload):
        if self.digested and kind == tape_writer.EVENTS:
            steps, w = self.digested
            runs = [1, len(steps), 1, 0, self.name("w")]  # one source, of index 0
            payload = (tape_writer.number(len(payload)) + bytes(payload) + b"".join(map(tape_writer.number, runs))
                       + struct.pack(f"<{1 + len(steps)}Q", w, *(5 << 32 | 3 for _ in steps)))
            kind = DIGEST
        super().chunk(kind, payload)

    def digest(self, steps, w):
        """Of these steps, with no events beside it."""
        self.flush()
        self.digested, events = (steps, w), self.events
        for step in steps:
            self.record("step_begin", step=step)
            self.record("step_counts", exchange="CollectiveReduceV2", waited=7, executed=3, recorded=2, not_recorded=1, backward_ops=1)
            self.record("call_times", op="Square", calls=2, took=16)
            self.record("step_times", asks=1, left_out=20, forward=400, backward=200, update=100)
            self.record("step_end", step=step)
        self.flush()
        self.digested, self.events = None, events
        self.chunk(DIGEST_OF_STATISTICS, bytes([len(steps), *range(8)]))


class SteadyTime:
    """The same bytes whenever it is written."""

    def __init__(self):
        self.now = 1000

    def time(self):
        return 1

    def monotonic_ns(self):
        self.now += 100
        return self.now


def value_of(form, holds, tensor):
    known = {"name": "w", "op name": "Square", "type": (SHAPE, "float32"), "tensor": tensor}
    count = int(form[:-1] or 1)
    one = known.get(holds, tensor if holds == "tensors" else 0.5 if form in "fd" else 1)
    return one if count == 1 else [one] * count


def write(file):
    tape_writer.time, tape_writer.os.getpid = SteadyTime(), lambda: 21
    tape = DigestingWriter(file, name="every-kind")
    w = tape.variable("w", SHAPE)
    for step in range(2):
        tape.step_begin(step)
        block = tape.tape_enter()
        read = tape.op("ReadVariableOp", [w], SHAPE, handle=True, took=400)
        loss = tape.op("Sum", [tape.op("Square", [read], SHAPE)], ())
        for kind, (_, fields) in tape_writer.KINDS.items() if step == 1 else ():
            if kind not in ENDS:
                tape.record(kind, **{name: value_of(form, holds, loss) for name, (_, form, holds) in fields.items()
                                     if holds not in ("site", "ticks", "order")})
        tape.tape_exit(block)
        walk = [(loss, lambda: tape.op("Mul", [read, read], SHAPE, backward=True))]
        tape.gradient(block, [(loss, "loss")], [(w, "w", tape.constant(SHAPE))], steps=walk)
        tape.step_end(step)
    tape.digest(range(2), w)
    for step in range(2, 66):
        tape.step_begin(step)
        tape.step_end(step)
    tape.digest(range(2, 66), w)
    tape.close()


if __name__ == "__main__":
    path = sys.argv[1]
    if "--write" in sys.argv:
        write(path)
    else:
        made = io.BytesIO()
        made.close = lambda: None
        tape_writer.open = lambda *_: made
        write("")
        with open(path, "rb") as kept:
            assert kept.read() == made.getvalue(), f"{path} is another than every_kind.py writes: write it anew with --write"
