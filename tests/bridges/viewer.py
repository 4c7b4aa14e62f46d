"""A viewer without a window: attaches to a program as engine/live/protocol.md says, and moves it."""
import os
import socket
import struct
import time

PATIENCE = 60  # seconds
OP, NAME, LINE, BACKWARD, NONFINITE, NORM_ABOVE, NORM_BELOW, ZEROS_ABOVE, NONE, RETRACE = range(10)  # Breakpoint::Kind
RUN, STEP, INTO, TRAINING, SEEK = range(5)  # Request::Kind
REASONS = ("none", "target", "pause", "breakpoint", "backward")


def number(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def text(value):
    return number(len(value.encode())) + value.encode()


def breakpoint_bytes(kind, what="", limit=0.0, source="", op="", from_hit=1, identity=0, place=0):
    return number(kind) + text(what) + struct.pack("<d", limit) + text(source) + text(op) + number(place) + \
        number(from_hit) + b"\1" + number(identity) + number(0)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def raw(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def u8(self):
        return self.raw(1)[0]

    def number(self):
        value, shift = 0, 0
        while True:
            byte = self.u8()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self):
        return self.raw(self.number()).decode()

    def f64(self):
        return struct.unpack("<d", self.raw(8))[0]


def _tensor(reader):
    """(type, elements) of a tensor of float32 or bfloat16; elements are None of any other, or where they are not known."""
    form = reader.u8()
    reader.number()
    dtype = reader.text()
    shape = [reader.number() for _ in range(reader.number())]
    if form == 0:
        data = reader.raw(reader.number())
        if dtype == "bfloat16":  # the upper half of a float32
            data = b"".join(b"\0\0" + data[at:at + 2] for at in range(0, len(data), 2))
            return f"bfloat16{shape}", struct.unpack(f"<{len(data) // 4}f", data)
        return f"{dtype}{shape}", struct.unpack(f"<{len(data) // 4}f", data) if dtype == "float32" else None
    assert form == 2, form
    reader.raw(32)
    for _ in range(4):
        reader.number()
    reader.raw(8 * reader.number())
    return f"{dtype}{shape}", None


def frame_of(data):
    """What a pack says of its one frame: where it is, and (name, type, elements) of the tensors in its lists."""
    reader = Reader(data)
    texts = [reader.text() for _ in range(reader.number())]
    tensors = [_tensor(reader) for _ in range(reader.number())]
    assert reader.number() == 1
    reader.raw(8)
    frame = {"cursor": reader.number(), "inner": reader.number(), "backward": bool(reader.u8() & 1), "op": texts[reader.number()]}
    reader.number()
    file, function, line = texts[reader.number()], texts[reader.number()], reader.number()
    frame["line"] = f"{file}:{line}" if file else ""
    frame["scopes"] = [texts[reader.number()] for _ in range(reader.number())]
    reader.raw(2 * 8)  # attributes
    for _ in range(3):
        reader.number()
    for _ in range(reader.number()):
        reader.number()
    for name in ("inputs", "outputs", "cotangents_in", "cotangents_out", "accumulated"):
        items = []
        for _ in range(reader.number()):
            called, tensor = texts[reader.number()], reader.number()
            items.append((called,) + (tensors[tensor - 1] if tensor else ("None", None)))
        frame[name] = items
    return frame


class Viewer:
    """Attached to a process of this machine, by its id."""

    def __init__(self, pid):
        path = os.path.join(os.environ["XDG_RUNTIME_DIR"], "tapescope", f"{pid}.sock")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.data = b""
        self.standing, self.hits, self.tape, self.given = {"paused": False, "done": 0}, {}, 0, 0
        self.gone = False
        first = self._message(PATIENCE)
        assert first and first[0] == 1, first  # None: it hung up
        reader = Reader(first[1])
        assert reader.raw(4) == b"TLIV"
        self.protocol, self.pid, self.name = reader.number(), reader.number(), reader.text()
        self._send(1, b"TLIV" + number(self.protocol) + number(os.getpid()))
        self.wait(lambda: self.tape > 0)

    def _send(self, kind, payload=b""):
        self.socket.sendall(struct.pack("<I", len(payload)) + bytes([kind]) + payload)

    def _message(self, seconds):
        """The next message; None where none comes in time."""
        deadline = time.monotonic() + seconds
        while True:
            if len(self.data) >= 5:
                size = struct.unpack("<I", self.data[:4])[0]
                if len(self.data) >= 5 + size:
                    message = self.data[4], self.data[5:5 + size]
                    self.data = self.data[5 + size:]
                    return message
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            self.socket.settimeout(left)
            try:
                more = self.socket.recv(1 << 16)
            except TimeoutError:
                return None
            if not more:
                self.gone = True
                return None
            self.data += more

    def _hear(self, seconds):
        message = self._message(seconds)
        if message is None:
            return False
        kind, payload = message
        reader = Reader(payload)
        if kind == 3:
            self.tape += len(payload)
        elif kind == 4:
            flags = reader.u8()
            standing = {"paused": bool(flags & 1), "at_end": bool(flags & 2), "done": reader.number(), "step": reader.number(),
                        "reason": REASONS[reader.number()]}
            if flags & 4:
                standing["hit"] = reader.number()
                reader.text(), reader.f64(), reader.text(), reader.text(), reader.number(), reader.number()
                reader.u8(), reader.number(), reader.number()
            standing["cursor"], standing["count"], standing["forward"] = reader.number(), reader.number(), reader.number()
            standing["notice"] = reader.text()
            frame = reader.raw(reader.number())
            standing["frame"] = frame_of(frame) if frame else None
            self.standing = standing
        elif kind == 5:
            self.gone = True
        elif kind == 6:
            self.hits = dict((reader.number(), reader.number()) for _ in range(reader.number()))
        return True

    def wait(self, there):
        deadline = time.monotonic() + PATIENCE
        while not there():
            assert time.monotonic() < deadline and not self.gone, (self.gone, self.standing)
            if not self._hear(1):
                self._send(5)  # alive
        return self.standing

    def quiet(self, seconds):
        """Hears for so long what comes; returns the standing then."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._hear(deadline - time.monotonic())
        return self.standing

    def stopped(self):
        """Where the program stands; waits until it does."""
        return self.wait(lambda: self.standing["paused"] and self.standing["done"] == self.given)["frame"]

    def breaks(self, *breakpoints):
        self._send(4, number(len(breakpoints)) + b"".join(breakpoint_bytes(*each) for each in breakpoints))

    def pause(self):
        self._send(3)
        return self.stopped()

    def ask(self, kind, amount=0):
        self.given += 1
        self._send(2, number(kind) + struct.pack("<q", amount) + breakpoint_bytes(OP))

    def run(self):
        """The program goes on; returns when it does."""
        self.ask(RUN)
        self.wait(lambda: self.standing["done"] == self.given)

    def go(self, kind, amount=1):
        """Moves the program, and returns where it stands then."""
        self.ask(kind, amount)
        return self.stopped()

    def close(self):
        self.socket.close()
