"""Proves the truths of the corpus without the debugger: prove.py --build DIR [--jobs N] [--only NAME...] [--mutants]

Builds all programs (DIR is a configured build of the project, or of this folder against an installed library), runs each
broken and fixed, and compares what they print with truth.json; moves each source whose gradient is None a little and looks
whether the target follows (witness.cpp); and compares the truth with the program's own text. With --mutants it also changes each
truth in every way (status, reason, line, traces) and counts how many of those it would notice.
"""
import argparse
import concurrent.futures
import copy
import os
import pathlib
import subprocess
import sys
import tempfile

import clues
import corpus
import witnesses

SECONDS = 60  # no program computes for longer than a few
AMOUNTS = (0.01, 0.5, 3, 30, -30)  # by how much of its size a source is moved: rounding and steps hide a small change
STATUSES = ("value", "zero", "none", "nonfinite", "unconnected_zero")


def build(folder, jobs):
    """The programs' folder, and whether witnesses see ops: those of the project's own build, where they lie beside its other tests."""
    subprocess.run(["cmake", "--build", folder, "--target", "programs", "witnesses", "-j", str(jobs)], check=True)
    inside = folder / "tests" / "programs"
    return (inside, True) if inside.is_dir() else (folder, False)


class Run:
    """What one run of a program printed."""

    def __init__(self, executable, argument):
        done = subprocess.run([executable, *argument], capture_output=True, text=True, timeout=SECONDS)
        self.code, self.statuses, self.traces, self.errors, self.complaint = done.returncode, {}, {}, [], done.stderr
        self.costs = {}
        for line in done.stdout.splitlines():
            words = line.split()
            if len(words) == 3 and words[0] == "traces":
                # A function that is made again for each call reports each time.
                self.traces[words[1]] = self.traces.get(words[1], 0) + int(words[2])
            elif len(words) == 3 and words[0] == "cost":
                self.costs[words[1]] = int(words[2])
            elif len(words) == 2 and words[0] == "error":
                self.errors.append(words[1])
            elif len(words) == 2 and words[1] in STATUSES:
                self.statuses.setdefault(words[0], words[1])

    def problems(self, what, statuses):
        if self.statuses != statuses:
            yield f"{what}: printed {self.statuses}, expected {statuses}"


def question(folder, name, source, nudge=None):
    """What the witness says of the last question for that source, with a source moved or none: the target's sum, what the source
    is, how often the tape was asked, where the target was made. None without such a question."""
    with tempfile.NamedTemporaryFile("r") as file:
        surroundings = os.environ | {"WITNESS_FILE": file.name} | ({"WITNESS_NUDGE": nudge} if nudge else {})
        subprocess.run([folder / "witness" / name], env=surroundings, capture_output=True, timeout=SECONDS)
        return {name: facts for name, *facts in (line.rstrip("\n").split("\t") for line in file)}.get(source)


def testimony(folder, name, source, which):
    """(whether the target follows the source, what the source is, asks of the tape, where the target was made), or None."""
    before = question(folder, name, source)
    if not before:
        return None
    moved = (question(folder, name, source, f"{source}:{amount}:{which}") for amount in AMOUNTS)
    return any(not other or other[0] != before[0] for other in moved), before[1], int(before[2]), before[3]


def run_both(folder, name, truth, sees_ops):
    broken = Run(folder / name, [])
    broken.seen = None
    broken.witness = {source: testimony(folder, name, source, wanted.get("which", -1))
                      for source, wanted in truth["sources"].items() if wanted["status"] == "none"}
    if truth["kind"] in witnesses.KINDS and sees_ops:
        broken.seen = [witnesses.Seen(folder / "witness" / name, argument) for argument in ([], ["fixed"])]
    return broken, None if truth["kind"] == "healthy" else Run(folder / name, ["fixed"])


def values_agree(truth, broken):
    """What the witness saw, against the reason."""
    for name, source in truth["sources"].items():
        if source["status"] != "none" or name not in broken.witness:
            continue
        if not broken.witness[name]:
            yield f"{name}: no tape was asked for a source of that name"
            continue
        follows, kind, asks, place = broken.witness[name]
        reason = source.get("reason")
        if follows == (reason in clues.STILL) and reason not in clues.EITHER and not source.get("unmoved"):
            yield f"{name}: moved, the target {'follows' if follows else 'stays'}, which is not {reason}"
        if kind not in clues.KINDS.get(reason, clues.TRACED):
            yield f"{name}: the source is {kind}, which is not {reason}"
        if place not in clues.PLACES.get(reason, ("inside",)):
            yield f"{name}: the target was made {place} of all blocks, which is not {reason}"
        if reason == "consumed" and asks < 2:
            yield f"{name}: its tape was asked once, which is not consumed"


def runs_agree(truth, broken, fixed):
    """What the runs printed against statuses, traces and exceptions of the truth."""
    wanted = {name: "zero" if s["status"] == "unconnected_zero" else s["status"] for name, s in truth["sources"].items()}
    yield from broken.problems("broken", wanted)
    if broken.code != truth.get("exit", 0):
        yield f"broken: ended with {broken.code}, expected {truth.get('exit', 0)}: {broken.complaint.strip()[-300:]}"
    for name, function in truth.get("functions", {}).items():
        if broken.traces.get(name) != function["traces"]:
            yield f"broken: {name} was traced {broken.traces.get(name)} times, expected {function['traces']}"
    if broken.errors != truth.get("exceptions", []):
        yield f"broken: threw {broken.errors}, expected {truth.get('exceptions', [])}"
    if fixed is None:
        return
    repaired = {name: "value" for name in wanted} | truth.get("fixed", {})
    yield from fixed.problems("fixed", {name: status for name, status in repaired.items() if status != "absent"})
    if fixed.code != 0 or fixed.errors != truth.get("fixed_exceptions", []):
        yield f"fixed: ended with {fixed.code}, threw {fixed.errors}: {fixed.complaint.strip()[-300:]}"
    for name, count in truth.get("fixed_traces", {}).items():
        if fixed.traces.get(name) != count:
            yield f"fixed: {name} was traced {fixed.traces.get(name)} times, expected {count}"


def problems(truth, source, broken, fixed):
    found = [*clues.form(truth, source), *runs_agree(truth, broken, fixed), *values_agree(truth, broken)]
    if not found and broken.seen:
        costs = [run.costs | run.traces for run in (broken, fixed or broken)]
        found += witnesses.problems(truth, corpus.marks(source), *broken.seen, costs)
    return found


def mutants(truth):
    """(what was changed, the changed truth): each must be noticed."""
    def changed(what, change):
        other = copy.deepcopy(truth)
        change(other)
        return what, other
    for name, source in truth["sources"].items():
        for status in STATUSES[:4]:
            if status != source["status"]:
                yield changed(f"status {status}", lambda t, n=name, s=status: t["sources"][n].update(status=s))
        if "reason" in source:
            accepted = {source["reason"], *source["also_reason"]}
            for reason in (clues.NONE if source["status"] == "none" else clues.ZERO):
                if reason not in accepted:
                    yield changed(f"reason {reason}", lambda t, n=name, r=reason: t["sources"][n].update(reason=r))
            for by in (-1, 1):
                yield changed(f"line {by:+}", lambda t, n=name, b=by: t["sources"][n].update(line=t["sources"][n]["line"] + b))
    if "first" in truth:
        other = {"forward": "backward", "backward": "forward"}[truth["first"]["direction"]]
        yield changed("direction", lambda t: t["first"].update(direction=other))
        yield changed("first op", lambda t: t["first"].update(op="Neg"))
        yield changed("origin in the data", lambda t: t.update(data=not t.get("data", False)))
    for kind in clues.ADVICE if "advice" in truth else ():
        if kind != truth["advice"]["kind"]:
            yield changed(f"advice {kind}", lambda t, k=kind: t["advice"].update(kind=k))
    for name, function in truth.get("functions", {}).items():
        for kind in clues.RETRACES if function["retraces"] else ():
            if kind != function["retraces"][0]["kind"]:
                yield changed(f"retrace {kind}",
                              lambda t, n=name, k=kind: [r.update(kind=k) for r in t["functions"][n]["retraces"]])
        yield changed("traces", lambda t, n=name: t["functions"][n].update(traces=t["functions"][n]["traces"] + 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a configured build folder")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="+", default=[], help="names of programs")
    parser.add_argument("--mutants", action="store_true")
    options = parser.parse_args()
    folder, sees_ops = build(options.build, options.jobs)
    chosen = {n: p for n, p in corpus.programs().items() if not options.only or n in options.only}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {name: pool.submit(run_both, folder, name, truth, sees_ops) for name, (truth, _) in chosen.items()}
    wrong, made, missed = 0, 0, {}
    for name, (truth, file) in chosen.items():
        broken, fixed = runs[name].result()
        source = file.read_text(encoding="utf-8")
        found = problems(truth, source, broken, fixed)
        wrong += bool(found)
        for problem in found:
            print(f"{name}: {problem}")
        proved = sees_ops or truth["kind"] not in witnesses.KINDS
        for what, mutant in mutants(truth) if options.mutants and proved and not found else ():
            made += 1
            if not problems(mutant, source, broken, fixed):
                missed.setdefault(f"{truth['kind']}: {what}", []).append(name)
    for source in sorted(corpus.HERE.glob("*/*.cpp")):
        if not options.only and source.stem not in chosen:
            print(f"{source.stem}: has no truth")
            wrong += 1
    if options.mutants:
        unnoticed = sum(map(len, missed.values()))
        for what, names in sorted(missed.items()):
            print(f"unnoticed mutant: {what} in {', '.join(names)}")
        print(f"mutants: {made - unnoticed} of {made} noticed")
        wrong += unnoticed > 0.1 * made
    without = sum(truth["kind"] in witnesses.KINDS for truth, _ in chosen.values()) if not sees_ops else 0
    if without:
        print(f"{without} programs were proved without their ops, which an installed library hides")
    print(f"{len(chosen)} programs, {wrong} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
