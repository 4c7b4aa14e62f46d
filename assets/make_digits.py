"""Draws the digits that Tapescope ships with: random handwriting of ten glyphs, as IDX files like MNIST's.

Usage: python3 make_digits.py [FOLDER]   (needs numpy; FOLDER is digits/ beside this file unless given)
The same numbers come out each time: 6,000 images to train on, 1,000 to test with."""
import gzip
import os
import struct
import sys

import numpy as np

SIDE = 28
TRAIN, TEST, SEED = 6000, 1000, 20240229

# Strokes of each digit's glyphs in a unit square, x to the right, y down. A curve is a smooth line through its points.
LINE, CURVE = False, True
ZERO = [(CURVE, [(.5, .03), (.2, .2), (.12, .5), (.2, .8), (.5, .97), (.8, .8), (.88, .5), (.8, .2), (.48, .03)])]
GLYPHS = [
    [ZERO, [(CURVE, [(.62, .05), (.3, .15), (.15, .55), (.35, .93), (.65, .9), (.85, .5), (.7, .12), (.5, .06), (.4, .1)])]],
    [[(LINE, [(.5, .03), (.5, .97)])],
     [(LINE, [(.3, .25), (.52, .03), (.52, .97)])],
     [(LINE, [(.32, .22), (.5, .04), (.5, .95)]), (LINE, [(.25, .95), (.76, .95)])]],
    [[(CURVE, [(.17, .27), (.3, .06), (.65, .05), (.8, .27), (.62, .55), (.17, .95)]), (LINE, [(.17, .95), (.86, .93)])],
     [(CURVE, [(.2, .2), (.45, .03), (.78, .15), (.72, .45), (.4, .8), (.2, .93), (.16, .8), (.35, .75), (.6, .92), (.88, .88)])]],
    [[(CURVE, [(.18, .13), (.45, .03), (.77, .15), (.72, .4), (.42, .48)]),
      (CURVE, [(.42, .48), (.78, .55), (.83, .8), (.5, .97), (.15, .86)])],
     [(LINE, [(.18, .05), (.8, .05), (.45, .4)]), (CURVE, [(.45, .4), (.8, .52), (.8, .83), (.48, .97), (.15, .85)])]],
    [[(LINE, [(.6, .03), (.12, .65), (.9, .65)]), (LINE, [(.68, .35), (.68, .97)])],
     [(CURVE, [(.2, .05), (.17, .3), (.22, .5), (.5, .52), (.8, .47)]), (LINE, [(.8, .03), (.77, .97)])]],
    [[(LINE, [(.8, .05), (.27, .06), (.24, .43)]), (CURVE, [(.24, .43), (.55, .37), (.82, .6), (.7, .9), (.4, .97), (.15, .87)])],
     [(CURVE, [(.3, .05), (.26, .25), (.26, .42), (.6, .42), (.8, .67), (.6, .93), (.18, .9)]), (LINE, [(.3, .05), (.85, .04)])]],
    [[(CURVE, [(.72, .04), (.4, .22), (.2, .6), (.3, .92), (.62, .95), (.8, .72), (.62, .52), (.35, .6), (.22, .78)])],
     [(CURVE, [(.4, .03), (.25, .4), (.2, .75), (.45, .97), (.75, .85), (.72, .62), (.45, .58), (.24, .72)])]],
    [[(LINE, [(.14, .06), (.85, .06), (.42, .97)])],
     [(CURVE, [(.14, .12), (.5, .07), (.86, .06), (.62, .45), (.5, .97)])],
     [(LINE, [(.14, .06), (.85, .06), (.42, .97)]), (LINE, [(.32, .5), (.78, .5)])]],
    [[(CURVE, [(.75, .15), (.5, .03), (.25, .17), (.4, .42), (.65, .56), (.8, .78), (.5, .97), (.2, .8), (.35, .55),
               (.65, .38), (.76, .18), (.66, .08)])],
     [(CURVE, [(.5, .04), (.25, .25), (.5, .48), (.75, .25), (.5, .04)]), (CURVE, [(.5, .48), (.2, .73), (.5, .97), (.8, .73), (.5, .48)])]],
    [[(CURVE, [(.78, .25), (.5, .04), (.22, .22), (.3, .48), (.6, .5), (.78, .25)]), (LINE, [(.79, .2), (.7, .97)])],
     [(CURVE, [(.76, .2), (.45, .05), (.2, .28), (.42, .52), (.7, .38), (.77, .15), (.78, .5), (.65, .87), (.3, .95)])]],
]


def smooth(points, steps=9):
    """A Catmull-Rom spline through the points."""
    p = np.vstack([2 * points[0] - points[1], points, 2 * points[-1] - points[-2]])
    t = np.linspace(0, 1, steps, endpoint=False)[:, None]
    pieces = []
    for a, b, c, d in zip(p, p[1:], p[2:], p[3:]):
        pieces.append(.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3))
    return np.vstack(pieces + [points[-1:]])


def handwriting(rng, digit):
    """The segments of one digit, in pixels: [n, 2, 2]."""
    glyph = GLYPHS[digit][rng.integers(len(GLYPHS[digit]))]
    segments = []
    for is_curve, points in glyph:
        points = np.array(points) + rng.normal(0, .043, (len(points), 2))
        line = smooth(points) if is_curve else points
        segments.append(np.stack([line[:-1], line[1:]], axis=1))
    segments = np.concatenate(segments) - .5
    # A bend along each axis, then slant, turn and stretch.
    x, y = segments[..., 0].copy(), segments[..., 1].copy()
    segments[..., 0] += rng.normal(0, .22) * (y * y - .08) + rng.normal(0, .02) * np.sin(6 * y + rng.uniform(0, 6))
    segments[..., 1] += rng.normal(0, .22) * (x * x - .08)
    turn, slant = rng.normal(0, .2), rng.normal(.1, .26)
    width, height = rng.uniform(.62, 1.02), rng.uniform(.85, 1.08)
    affine = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ np.array([[1, -slant], [0, 1]])
    segments = segments @ (affine @ np.diag([width, height])).T * 20
    low, high = segments.reshape(-1, 2).min(0), segments.reshape(-1, 2).max(0)
    segments *= min(1, 22 / max(high - low))  # MNIST's digits fill a box of 20 pixels, and so do these, roughly
    return segments - (low + high) / 2 * min(1, 22 / max(high - low)) + (SIDE - 1) / 2 + rng.normal(0, 1.1, 2)


def draw(rng, digit):
    """Ink by distance from the strokes: an image of bytes."""
    segments = handwriting(rng, digit)
    radius = rng.uniform(.75, 1.55)
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    pixels = np.stack([x, y], -1).reshape(-1, 1, 2)
    start, along = segments[:, 0], segments[:, 1] - segments[:, 0]
    length = np.maximum((along**2).sum(-1), 1e-9)
    t = np.clip(((pixels - start) * along).sum(-1) / length, 0, 1)
    distance = np.sqrt((((start + t[..., None] * along) - pixels)**2).sum(-1)).min(1)
    ink = np.clip(radius + .5 - distance, 0, 1) * rng.uniform(.8, 1)
    ink = np.where(ink > .05, ink + rng.normal(0, .03, ink.shape), 0)
    # Sixteen levels of grey are plenty, and pack to half the size.
    return (np.clip(np.round(ink * 15), 0, 15) * 17).astype(np.uint8).reshape(SIDE, SIDE)


def write(path, header, array):
    with open(path, "wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=9, mtime=0) as file:
        file.write(struct.pack(f">{len(header)}I", *header))
        file.write(array.tobytes())


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "digits")
    os.makedirs(folder, exist_ok=True)
    for name, count, seed in (("train", TRAIN, SEED), ("t10k", TEST, SEED + 1)):
        rng = np.random.default_rng(seed)
        labels = rng.permutation(np.arange(count) % 10).astype(np.uint8)
        images = np.stack([draw(rng, int(digit)) for digit in labels])
        write(os.path.join(folder, f"{name}-images-idx3-ubyte.gz"), (2051, count, SIDE, SIDE), images)
        write(os.path.join(folder, f"{name}-labels-idx1-ubyte.gz"), (2049, count), labels)


if __name__ == "__main__":
    main()
