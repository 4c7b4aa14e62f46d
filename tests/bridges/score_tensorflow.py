"""Records the TensorFlow corpus under the hooks, explains each recording and scores the answers:
score_tensorflow.py PACKAGE_FOLDER TAPESCOPE [--size short|long] [--kind KIND] [--keep DIR] [--older] [--half] [--floor SIZE SET PERCENT ...] [NAME...]
(with a Python that has TensorFlow). SET is tuned or held_out; of programs that are held out only the totals are printed, so that
they stay unseen. With --older, a program that fails under this TensorFlow without the hooks too, by API that it does not have, is
not counted. With --half every second program runs, unless TAPESCOPE_LONG is set. Ends with 1 below a floor.

Programs run in children of one process, as importing TensorFlow takes longer than all of them.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import re
import runpy
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs" / "tensorflow"
sys.path[:0] = [str(HERE.parent / "programs"), str(HERE.parent / "support")]

import score  # noqa: E402
import shares  # noqa: E402

LIMIT = 180  # seconds a program may take
WORKERS = 2  # a program is mostly one thread


def marks(path):
    """Numbers of the lines that end in #! (where the edge breaks) and in #~ (accepted as well)."""
    found = {"!": [], "~": []}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if mark := re.search(r"#([!~])\s*$", line):
            found[mark.group(1)].append(number)
    return found


def run(path, tape):
    """The program as `python -m tapescope --record` runs it; in a child."""
    import tapescope.__main__ as command
    out = os.open(tape.with_suffix(".out"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(out, 1)
    os.dup2(out, 2)
    signal.alarm(LIMIT)
    sys.argv = ["tapescope", "--record", str(tape), str(path)]
    command.main()


def recorded(path, tape):
    child = os.fork()
    if child == 0:
        try:
            run(path, tape)
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def runs_bare(path):
    """Whether the program comes to its end without the hooks; in a child."""
    child = os.fork()
    if child == 0:
        ended = 1
        try:
            signal.alarm(LIMIT)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            sys.argv = [str(path)]
            runpy.run_path(str(path), run_name="__main__")
            ended = 0
        finally:
            os._exit(ended)
    return os.waitpid(child, 0)[1] == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("package", type=pathlib.Path, help="the folder that holds the package tapescope")
    parser.add_argument("tapescope", type=pathlib.Path, help="the application")
    parser.add_argument("--size", choices=("short", "long"))
    parser.add_argument("--kind", action="append")
    parser.add_argument("--keep", type=pathlib.Path, help="keep recordings and answers there")
    parser.add_argument("--floor", nargs=3, action="append", default=[], metavar=("SIZE", "SET", "PERCENT"))
    parser.add_argument("--older", action="store_true", help="count no program that fails without the hooks too")
    parser.add_argument("--half", action="store_true", help="a share of the programs (support/shares.py), all with TAPESCOPE_LONG")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    sys.path.insert(0, str(options.package.resolve()))
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow  # noqa: F401
    if importlib.util.find_spec("keras"):
        import keras  # noqa: F401
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or pathlib.Path(scratch)
        return report(options, folder)


def answer(options, path, place):
    """Records the program and explains the recording; in a child, of which WORKERS run at a time."""
    child = os.fork()
    if child:
        return child
    try:
        tape = place / f"{path.stem}.tape"
        recorded(path, tape)
        with (place / f"{path.stem}.json").open("wb") as out:
            subprocess.run([options.tapescope.resolve(), "explain", tape, "--json", "-"], stdout=out, stderr=subprocess.DEVNULL,
                           timeout=LIMIT, check=False)
    finally:
        os._exit(0)


def with_names_of(truth, answer):
    """The answer with the truth's names of sources where one is the end of the other: those of Keras 2 differ by the model."""
    given = [row["source"] for row in answer.get("gradients", [])]
    for name in truth["sources"]:
        short = [source for source in given if name.endswith(f"/{source}") or source.endswith(f"/{name}")]
        if name not in given and len(short) == 1:
            answer["gradients"][given.index(short[0])]["source"] = name
    return answer


def wanted(options):
    """(size, name, truth) of those that are wanted."""
    every = [(size, name, truth) for size in ("short", "long")
             for name, truth in sorted(json.loads((PROGRAMS / size / "truth.json").read_text(encoding="utf-8"))["programs"].items())]
    return [(size, name, truth) for size, name, truth in (shares.asked(every) if options.half else every)
            if (options.size or size) == size and (not options.kind or truth["kind"] in options.kind) and (not options.names or name in options.names)]


def report(options, folder):
    running = set()
    for size, name, _ in wanted(options):
        (folder / size).mkdir(parents=True, exist_ok=True)
        if len(running) == WORKERS:
            running.discard(os.wait()[0])
        running.add(answer(options, PROGRAMS / size / f"{name}.py", folder / size))
    for _ in running:
        os.wait()
    left_out = {"tuned": 0, "held_out": 0}
    shares, right = {}, {}  # (size, set, kind) -> [share]; (size, set) -> [points, possible, entirely right, programs]
    for size, name, truth in wanted(options):
        given = score.read(folder / size / f"{name}.json")
        if options.older:
            given = with_names_of(truth, given)
        got, possible, missed = score.score(truth, given, marks(PROGRAMS / size / f"{name}.py"))
        part = "held_out" if truth.get("held_out") else "tuned"
        if missed and options.older and "raises" not in truth and not runs_bare(PROGRAMS / size / f"{name}.py"):
            left_out[part] += 1
            continue
        shares.setdefault((size, part, truth["kind"]), []).append(got / possible)
        total = right.setdefault((size, part), [0, 0, 0, 0])
        for index, value in enumerate((got, possible, not missed, 1)):
            total[index] += value
        if missed and part == "tuned":
            print(f"{size}/{name} ({truth['kind']}): {got / possible:.0%}, missed {', '.join(missed)}", flush=True)
    for (size, part, kind), values in sorted(shares.items()):
        print(f"{size} {part} {kind}: {sum(values) / len(values):.1%} of {len(values)}")
    if any(left_out.values()):
        print(f"not counted, as they fail without the hooks too: {left_out['tuned']} tuned, {left_out['held_out']} held out")
    below = False
    floors = {(size, part): float(percent) for size, part, percent in options.floor}
    for (size, part), (got, possible, entirely, programs) in right.items():
        floor = floors.get((size, part))
        percent = 100 * got / possible
        below |= floor is not None and percent < floor
        print(f"{size} {part}: {percent:.1f} %, {entirely} of {programs} entirely right" + (f", floor {floor:g}" if floor is not None else ""))
    return 1 if below or not right else 0


if __name__ == "__main__":
    sys.exit(main())
