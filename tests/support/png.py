"""Pictures as the tests need them: reading 8-bit RGB and RGBA files without interlacing, writing RGB, shrinking."""
import pathlib
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


class Picture:
    def __init__(self, width, height, rows):
        self.width, self.height = width, height
        self.rows = rows  # a bytes of 3 * width a row

    def shrunk(self, width, height):
        """Averages of equal cells."""
        rows = []
        for y in range(height):
            top, bottom = y * self.height // height, (y + 1) * self.height // height
            line = bytearray()
            for x in range(width):
                left, right = x * self.width // width, (x + 1) * self.width // width
                count = (bottom - top) * (right - left)
                for channel in range(3):
                    line.append(sum(sum(row[3 * left + channel:3 * right:3]) for row in self.rows[top:bottom]) // count)
            rows.append(bytes(line))
        return Picture(width, height, rows)


def read(path):
    data = pathlib.Path(path).read_bytes()
    if not data.startswith(SIGNATURE):
        raise ValueError(f"{path} is no PNG file")
    at, packed, header = len(SIGNATURE), b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        at += 12 + length
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
    width, height, depth, colour, _, _, interlaced = header
    if depth != 8 or colour not in (2, 6) or interlaced:
        raise ValueError(f"{path} has a form that tests do not need")
    size = 3 if colour == 2 else 4
    raw = zlib.decompress(packed)
    stride = width * size
    before = bytearray(stride)
    rows = []
    for y in range(height):
        kind = raw[y * (stride + 1)]
        line = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        unfilter(kind, line, before, size)
        before = line
        rows.append(bytes(line) if size == 3 else bytes(v for i, v in enumerate(line) if i % 4 != 3))
    return Picture(width, height, rows)


def unfilter(kind, line, before, size):
    """Undoes the row filters of the PNG specification, section 9."""
    for i in range(len(line)):
        left = line[i - size] if i >= size else 0
        up = before[i]
        corner = before[i - size] if i >= size else 0
        if kind == 1:
            line[i] = line[i] + left & 255
        elif kind == 2:
            line[i] = line[i] + up & 255
        elif kind == 3:
            line[i] = line[i] + (left + up >> 1) & 255
        elif kind == 4:
            guess = left + up - corner
            apart = (abs(guess - left), abs(guess - up), abs(guess - corner))
            line[i] = line[i] + (left, up, corner)[apart.index(min(apart))] & 255


def write(path, picture):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", picture.width, picture.height, 8, 2, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + row for row in picture.rows), 9)
    pathlib.Path(path).write_bytes(SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b""))
