#!/usr/bin/env python3
"""Proves the truths about programs of a framework by running them without the debugger.

usage: prove.py FRAMEWORK [NAME...] [--mutate] [--size short|long]
Each program runs in a fork of a process that has the framework loaded. --mutate alters each truth (status,
reason, line, op, counts) and prints the share of alterations noticed. Exit code 1 where a truth does not hold.
A framework is `prove_FRAMEWORK.py` with a class Proof: `statuses(which)`, `none`, `zero`,
`nonfinite`, `function`, `slow`, `empty`; each of the last six returns None or what contradicts the truth.
"""

import argparse
import collections
import copy
import importlib
import json
import os
import pathlib
import re
import sys
import traceback

HERE = pathlib.Path(__file__).resolve().parent
SEEN_AS = {"unconnected_zero": "zero"}  # what TensorFlow returns
SHOWN = {"none": "zero", "zero": "value", "value": "none", "nonfinite": "value", "unconnected_zero": "none"}
MOST_SURVIVORS = 0.1  # of the altered truths
WRONG_REASONS = collections.defaultdict(  # tried in place of the right ones; known to every framework
    list,
    none=["stop_gradient", "not_trainable", "unused", "paused", "host_round_trip", "state_update"],
    zero=["dead_relu", "masked", "sign", "saturated"],
)


def marks(path):
    found = {"!": [], "~": []}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if mark := re.search(r"#([!~])\s*$", line):
            found[mark.group(1)].append(number)
    return found


def complaints(proof, truth, path, line=None):
    """All that contradicts a truth; `line` stands in for the marked one."""
    found, kind = marks(path), truth["kind"]
    broken = proof.statuses("broken")
    if isinstance(broken, str):
        if broken != truth.get("raises"):
            yield f"raises {broken}"
        broken = {}
    elif "raises" in truth:
        yield "raises nothing"
    for name, source in truth["sources"].items():
        expected = SEEN_AS.get(source["status"], source["status"])
        if broken and broken.get(name) != expected:
            yield f"{name} is {broken.get(name)}, not {expected}"
        elif "reason" in source:
            if source["line"] != found["!"][source["mark"]] or source["also_lines"] != found["~"]:
                yield f"lines of {name} are not the marked ones"
            judge = proof.none if source["status"] == "none" else proof.zero
            if complaint := judge(name, source, line or source["line"]):
                yield f"{name} {complaint}"
    marked = line or (found["!"][truth["mark"]] if "mark" in truth else None)
    if truth.get("empty_sources") and (complaint := proof.empty(marked)):
        yield complaint
    if kind == "nonfinite" and (complaint := proof.nonfinite(truth["first"], marked)):
        yield complaint
    for name, function in truth.get("functions", {}).items():
        if complaint := proof.function(name, function, marked):
            yield complaint
    if kind == "slow" and (complaint := proof.slow(truth["advice"], truth["proof"], marked)):
        yield complaint
    if kind == "healthy":
        if found["!"] or found["~"]:
            yield "is healthy and has marks"
        return
    fixed = proof.statuses("fixed")
    bad = [name for name in truth["sources"] if isinstance(fixed, str) or fixed.get(name) != "value"]
    if bad or isinstance(fixed, str):
        yield f"fixed() does not repair {bad or fixed}"


def mutations(truth, path):
    """(what was altered, the truth, the line that stands in) for every alteration."""
    found = marks(path)
    taken = {*found["!"], *found["~"]}
    text = path.read_text(encoding="utf-8").splitlines()
    code = [
        n
        for n, line in enumerate(text, 1)
        if line.strip() and n not in taken and not line.startswith(("import", "from", '"""'))
    ]

    def altered(change):
        other = copy.deepcopy(truth)
        change(other)
        return other

    reasons = sorted(WRONG_REASONS["none" if truth["kind"] == "error" else truth["kind"]])
    for name, source in truth["sources"].items():
        yield f"status of {name}", altered(
            lambda t: t["sources"][name].update(status=SHOWN[source["status"]])
        ), None
        if source["status"] in ("none", "zero"):
            for reason in reasons:
                if reason not in (source["reason"], *source["also_reason"]):
                    yield f"{name} {reason}", altered(
                        lambda t: t["sources"][name].update(reason=reason)
                    ), None
            if source["op"]:
                yield f"{name} op", altered(lambda t: t["sources"][name].update(op="Cumsum")), None
    if taken:
        step = max(1, len(code) // 4)
        for other in code[step // 2 :: step]:
            yield f"line {other}", truth, other
    if "first" in truth:
        yield "direction", altered(
            lambda t: t["first"].update(
                direction={"forward": "backward"}.get(t["first"]["direction"], "forward")
            )
        ), None
        yield "first op", altered(lambda t: t["first"].update(op="Tanh", also=[])), None
    for name, function in truth.get("functions", {}).items():
        yield "traces", altered(lambda t: t["functions"][name].update(traces=function["traces"] + 1)), None
        for k, retrace in enumerate(function["retraces"]):
            kind = "shape" if retrace["kind"] != "shape" else "dtype"
            yield "retrace kind", altered(
                lambda t: t["functions"][name]["retraces"][k].update(kind=kind)
            ), None
            yield "retrace call", altered(
                lambda t: t["functions"][name]["retraces"][k].update(call=retrace["call"] + 1)
            ), None
            if retrace["argument"]:
                yield "argument", altered(
                    lambda t: t["functions"][name]["retraces"][k].update(argument="other")
                ), None
    if "advice" in truth:
        for kind in ("looped_jacobian", "persistent_tape", "per_example_loop"):
            if kind != truth["advice"]["kind"]:
                yield f"advice {kind}", altered(lambda t: t["advice"].update(kind=kind)), None


def judge(framework, path, truth, mutate):
    """Runs in a fork: (complaints, alterations noticed, alterations that were not)."""
    proof = framework.Proof(path)
    held, noticed, missed = list(complaints(proof, truth, path)), 0, []
    for what, other, line in mutations(truth, path) if mutate and not held else ():
        if any(True for _ in complaints(proof, other, path, line)):
            noticed += 1
        else:
            missed.append(what)
    return held, noticed, missed


def in_fork(work):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = work()
        except BaseException:  # whatever happens, the parent hears of it
            answer = ([traceback.format_exc()], 0, [])
        with os.fdopen(write, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else (["the process ended without an answer"], 0, [])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("framework")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--mutate", action="store_true", help="alter the truths and count what is noticed")
    parser.add_argument("--size", action="append", help="short or long; both if not given")
    options = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    sys.path.insert(0, str(HERE))
    framework = importlib.import_module(f"prove_{options.framework}")
    wrong = noticed = altered = programs = 0
    for folder in sorted(HERE.glob(f"{options.framework}/**/truth.json")):
        if options.size and folder.parent.name not in options.size:
            continue
        truths = json.loads(folder.read_text(encoding="utf-8"))["programs"]
        for stray in {path.stem for path in folder.parent.glob("*.py")} ^ set(truths):
            print(f"{folder.parent.name}/{stray}: has no truth, or no program")
            wrong += 1
        for name, truth in truths.items():
            if options.names and name not in options.names:
                continue
            path = folder.parent / f"{name}.py"
            held, seen, missed = in_fork(lambda: judge(framework, path, truth, options.mutate))
            programs, noticed, altered = programs + 1, noticed + seen, altered + seen + len(missed)
            wrong += bool(held)
            for complaint in held:
                print(f"{folder.parent.name}/{name}: {complaint}", flush=True)
            if missed:
                print(f"{folder.parent.name}/{name}: not noticed: {', '.join(missed)}", flush=True)
    print(f"{programs - wrong} of {programs} truths hold")
    if altered:
        print(f"{noticed} of {altered} alterations noticed ({noticed / altered:.1%})")
        wrong += noticed < (1 - MOST_SURVIVORS) * altered
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
