"""Each program of docs/lessons runs as printed, and Tapescope says of it what the page says.

usage: lessons_test.py TAPESCOPE PACKAGE_FOLDER [--write]   (with a Python that has TensorFlow 2.21; --write puts what is said into the pages)
A page holds programs in ```python, each followed by what is said of it in ```text. Times and random numbers may differ. Programs run in
children of one process, as importing TensorFlow takes longer than all of them.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TAPESCOPE, FOLDER = sys.argv[1:3]
PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "lessons"
BLOCKS = re.compile(r"^```python\n(.*?)^```\n(.*?)^```text\n(.*?)^```$", re.S | re.M)
TIME = re.compile(r"[\d.]+ (?:ns|µs|ms|s)\b")
sys.path.insert(0, FOLDER)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy  # noqa: E402
import keras  # noqa: E402
import tensorflow as tf  # noqa: E402


def digits():
    """In place of the download: as many and of the kind that a test needs."""
    images = numpy.arange(64 * 28 * 28, dtype=numpy.uint8).reshape(64, 28, 28)
    return (images, numpy.arange(64, dtype=numpy.uint8) % 10), (images[:16], numpy.arange(16, dtype=numpy.uint8) % 10)


def run(program, tape):
    import tapescope.__main__ as command
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    tf.random.set_seed(7)
    keras.datasets.mnist.load_data = tf.keras.datasets.mnist.load_data = digits
    sys.argv = ["tapescope", "--record", tape, program]
    command.main()


def said(page, number, program, folder):
    """What `tapescope explain` says of the program, without the line of its name."""
    path, tape = (os.path.join(folder, f"{page.stem}-{number}.{kind}") for kind in ("py", "tape"))
    with open(path, "w") as file:
        file.write(program)
    child = os.fork()
    if child == 0:
        try:
            run(path, tape)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    done = subprocess.run([TAPESCOPE, "explain", tape], capture_output=True, text=True, check=True)
    return done.stdout.split("\n", 1)[1].strip() + "\n"


def main():
    wrong = programs = 0
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text):
            assert (page.parent / picture).is_file(), f"{page.name}: {picture} is missing"
        with tempfile.TemporaryDirectory() as folder:
            for number, (program, between, expected) in enumerate(BLOCKS.findall(text), 1):
                programs += 1
                found = said(page, number, program, folder)
                if "--write" in sys.argv:
                    whole = f"```python\n{program}```\n{between}```text\n"
                    text = text.replace(whole + expected, whole + found, 1)
                elif TIME.sub("…", found) != TIME.sub("…", expected):
                    wrong += 1
                    print(f"{page.name}, program {number}: said\n{found}expected\n{expected}")
        if "--write" in sys.argv:
            page.write_text(text, encoding="utf-8")
    print(f"{programs - wrong} of {programs} programs")
    return 1 if wrong or programs < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
