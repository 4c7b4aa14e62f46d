"""Records and explains the programs of a framework, and compares the score with floors:
answers.py --python PYTHON --package FOLDER --tapescope BINARY [--keep DIR] [--only NAME,... | --half] --floor SET PERCENT ... FRAMEWORK

SET is tuned or held_out; of programs that are held out only the total is printed. Points as tests/programs/score.py counts them.
Ends with 1 below a floor, where a program got no answer, and where a set has no floor.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "programs"), str(HERE.parents[1] / "support")]

import score  # noqa: E402, beside the programs in C++
import shares  # noqa: E402

WORKERS = 2  # a program is mostly one thread


def marks(text):
    """The numbers of the lines that end in #! (where the edge breaks) and in #~ (accepted as well)."""
    found = {"!": [], "~": []}
    for number, line in enumerate(text.split("\n"), 1):
        mark = re.search(r"#([!~])\s*$", line)
        if mark:
            found[mark.group(1)].append(number)
    return found


class Recorder:
    """A process of forked.py for each thread that asks."""

    def __init__(self, options):
        self._command = [options.python, "-B", str(HERE / "forked.py"), str(options.package.resolve()), options.framework]
        self._environment = {**os.environ, "PYTHONPATH": str(options.package.resolve()), "TF_CPP_MIN_LOG_LEVEL": "3"}
        self._own = threading.local()

    def record(self, program, folder):
        """The recording of a run; how the program ends is part of its truth, not of this."""
        tape = folder.resolve() / f"{program.stem}.tape"
        if not hasattr(self._own, "process"):
            self._own.process = subprocess.Popen(self._command, env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        process = self._own.process
        print(json.dumps({"program": str(program), "tape": str(tape), "log": str(tape.with_suffix(".log"))}), file=process.stdin, flush=True)
        if process.stdout.readline() != "done\n":
            raise RuntimeError(f"{self._command} ended with {process.wait()} at {program}")
        return tape


def answer(options, recorder, program, folder):
    """What `tapescope explain` says of a run of the program; empty where it says nothing."""
    tape = recorder.record(program, folder)
    run = subprocess.run([options.tapescope, "explain", str(tape), "--json", "-"], capture_output=True, text=True, timeout=120, check=False)
    try:
        found = json.loads(run.stdout)
    except ValueError:
        return {}
    (folder / f"{program.stem}.json").write_text(run.stdout, encoding="utf-8")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("framework")
    parser.add_argument("--python", required=True, help="one that has the framework")
    parser.add_argument("--package", type=pathlib.Path, required=True, help="the folder that holds tapescope/")
    parser.add_argument("--tapescope", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=pathlib.Path, help="keep recordings and answers there")
    parser.add_argument("--only", help="these programs, none that is held out")
    parser.add_argument("--half", action="store_true", help="a share of the programs (support/shares.py), all with TAPESCOPE_LONG")
    parser.add_argument("--floor", nargs=2, action="append", default=[], metavar=("SET", "PERCENT"))
    options = parser.parse_args()
    truths = {}
    for file in sorted((HERE / options.framework).rglob("truth.json")):
        for name, truth in json.loads(file.read_text(encoding="utf-8"))["programs"].items():
            truths[file.parent / f"{name}.py"] = truth
    if options.only:
        truths = {path: truth for path, truth in truths.items() if path.stem in options.only.split(",") and not truth.get("held_out")}
    if options.half:
        truths = {path: truths[path] for path in shares.asked(sorted(truths))}
    floors = {part: float(percent) for part, percent in options.floor}
    failed = not truths
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            recorder = Recorder(options)
            answers = dict(zip(truths, pool.map(lambda path: answer(options, recorder, path, folder), truths)))
    for part in ("tuned", "held_out"):
        got, possible, right, count = 0.0, 0, 0, 0
        for path, truth in truths.items():
            if (part == "held_out") != bool(truth.get("held_out")):
                continue
            one, of, missed = score.score(truth, answers[path], marks(path.read_text(encoding="utf-8")))
            got, possible, right, count = got + one, possible + of, right + (not missed), count + 1
            if part == "tuned" and missed:
                print(f"{path.stem} ({truth['kind']}): missed {', '.join(missed)}")
            failed |= not answers[path]
        if count == 0:
            continue
        floor = floors.get(part)
        print(f"{options.framework}, {part}: {100 * got / possible:.1f} %, {right} of {count} entirely right" + (f", floor {floor} %" if floor is not None else ""))
        failed |= floor is not None and 100 * got / possible < floor
        if floor is None and not options.only:
            print(f"{options.framework}, {part}: no floor is given")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
