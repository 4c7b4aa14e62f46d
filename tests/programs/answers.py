"""Builds, records and explains the programs, and compares the score with floors:
answers.py --build BUILD --tapescope BINARY [--keep DIR] [--half] --floor FOLDER SET PERCENT ...

SET is tuned or held_out; of programs that are held out only the total is printed. Ends with 1 below a floor, where a program
does not build, record or get an answer, and where a folder has a truth but no floor.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import corpus
import score

HERE = pathlib.Path(__file__).resolve().parent


def answer(binary, tapescope, folder):
    """What `tapescope explain` says of a run of the program, as JSON in the folder."""
    tape = folder / f"{binary.name}.tape"
    # How a program ends is part of its truth, not of this.
    subprocess.run([binary], env={**os.environ, "TAPESCOPE_RECORD": str(tape)}, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=120, check=False)
    with (folder / f"{binary.name}.json").open("wb") as out:
        subprocess.run([tapescope, "explain", tape, "--json", "-"], stdout=out, stderr=subprocess.DEVNULL, timeout=120,
                       check=True)


def points(folder, part, answers, asked):
    """The share of points in percent, how many are entirely right of how many, and what was missed."""
    got, possible, missed, count = 0.0, 0, {}, 0
    for name, (truth, _) in corpus.programs(folder / "truth.json").items():
        if name not in asked or (part == "held_out") != truth.get("held_out", False):
            continue
        marks = corpus.marks((folder / f"{name}.cpp").read_text(encoding="utf-8"))
        one, of, what = score.score(truth, score.read(answers / f"{name}.json"), marks)
        got, possible, count = got + one, possible + of, count + 1
        if what:
            missed[name] = what
    return 100 * got / possible, count - len(missed), count, missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a configured build; the programs are built there")
    parser.add_argument("--tapescope", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=pathlib.Path, help="keep recordings and answers there")
    parser.add_argument("--half", action="store_true", help="a share of the programs (support/shares.py), all with TAPESCOPE_LONG")
    parser.add_argument("--floor", nargs=3, action="append", required=True, metavar=("FOLDER", "SET", "PERCENT"))
    options = parser.parse_args()
    asked = corpus.asked() if options.half else list(corpus.programs())
    subprocess.run(["cmake", "--build", options.build, "--target", *(f"program_{name}" for name in asked)], stdout=subprocess.DEVNULL, check=True)
    floors = {(folder, part): float(percent) for folder, part, percent in options.floor}
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        answers = options.keep or pathlib.Path(scratch)
        answers.mkdir(parents=True, exist_ok=True)
        for truth in sorted(HERE.glob("*/truth.json")):
            folder = truth.parent
            for name in corpus.programs(truth).keys() & asked:
                answer(options.build / "tests/programs" / name, options.tapescope, answers)
            for part in sorted({"held_out" if program.get("held_out") else "tuned" for program, _ in corpus.programs(truth).values()}):
                if (folder.name, part) not in floors:
                    print(f"{folder.name}, {part}: no floor is given")
                    failed = True
                    continue
                percent, right, count, missed = points(folder, part, answers, asked)
                if part == "tuned":
                    for name, what in missed.items():
                        print(f"{name}: missed {', '.join(what)}")
                floor = floors[folder.name, part]
                print(f"{folder.name}, {part}: {percent:.1f} %, {right} of {count} entirely right, floor {floor} %")
                failed |= percent < floor
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
