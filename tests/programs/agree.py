"""Compares what tape.explain() says in the process with `tapescope explain` of a recording of the same run:
agree.py --build BUILD --tapescope BINARY [NAME ...]

For each source of the programs whose last answer is None, reason, location and fix are to be the same. Of a line in a helper the
recording, which is read beside the program's text, says the call as well: it is to name that line, and the fix is to end alike. Names
the programs that differ and ends with 1 where one does. The witnesses of the programs are built first. Every fourth program runs unless some are named
or TAPESCOPE_LONG is set.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import corpus

HERE = pathlib.Path(__file__).resolve().parent


def in_process(file):
    """{source: (reason, location, fix)} of the last None of each source."""
    found = {}
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
        name, *answer = line.split("\t")
        found[name] = tuple(answer)
    return found


def recorded(answer):
    found = {}
    for row in answer["gradients"]:
        if row["status"] == "none":
            found.setdefault(row["source"], (row["reason"], row["location"] or "", row["fix"] or "", row["message"] or ""))
    return found


def agree(process, recording):
    """Whether the two say the same, but for a line that only the text knows."""
    reason, location, fix, message = recording
    if process == (reason, location, fix):
        return True
    begin = fix.find(" before the call at ")
    if reason == "watched_too_late" and begin > 0:
        return process[:2] == (reason, location) and process[2].startswith(fix[:begin])
    called, frozen = f"(called at {location})", f"(set_trainable(false) at {location} "
    if process[0] != reason or process[1] not in message:
        return False
    if frozen in message:
        return reason == "not_trainable"
    end = max(fix.find(word) for word in (" inside ", " out of the block ", " on the thread "))
    return called in message and (process[2] == fix or (end >= 0 and process[2].endswith(fix[end:])))


def compare(name, build, tapescope, folder):
    """What differs, a line each, and how many answers were compared."""
    tape, said = folder / f"{name}.tape", folder / f"{name}.txt"
    # How a program ends is part of its truth, not of this.
    subprocess.run([build / "tests/programs/witness" / name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                   env={**os.environ, "TAPESCOPE_RECORD": str(tape), "WITNESS_EXPLAIN": str(said)}, timeout=120)
    run = subprocess.run([tapescope, "explain", tape, "--json", "-"], capture_output=True, timeout=120, check=True)
    of_recording, of_process = recorded(json.loads(run.stdout)), in_process(said)
    both = sorted(of_recording.keys() & of_process.keys())
    return [f"{name}, {source}: the process says {of_process[source]}, its recording {of_recording[source]}"
            for source in both if not agree(of_process[source], of_recording[source])], len(both)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--tapescope", type=pathlib.Path, required=True)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names = options.names or corpus.asked(2)
    targets = [f"witness_{name}" for name in names]
    subprocess.run(["cmake", "--build", options.build, "--target", *targets], stdout=subprocess.DEVNULL, check=True)
    differences, compared = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            differ, count = compare(name, options.build, options.tapescope, pathlib.Path(scratch))
            differences += differ
            compared += count
    print("\n".join([*differences, f"{compared} answers of {len(names)} programs compared, {len(differences)} differ"]))
    return 1 if differences or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
