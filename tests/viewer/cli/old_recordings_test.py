"""Recordings of format 1.1 still give the answers they gave: old_recordings_test.py TAPESCOPE [--write].

tests/data/recordings-1.1 holds recordings and, of each, what `explain` and `report` answered then. Words may change, and times
by as much as two clocks of one machine differ and by the rounding to ticks of the machine that reads; all else is equal. --write asks
TAPESCOPE for the answers again.
"""
import json
import os
import subprocess
import sys

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data", "recordings-1.1")
COMMANDS = ("explain", "report")
WORDS = {"message", "evidence", "fix", "title"}  # texts for people; None where there is none
CLOCKS = 2e-3  # two measures of one counter's rate differ by at most half of it
# A machine with another counter rounds each time to its ticks, of half a nanosecond where they are long. What is saved is a sum over many
# short ops, each rounded.
TICK_US, TICK_SHARE, TICKS_SAVED = 5e-4, 1e-4, 5e-3


def answers(tapescope, path):
    found = {}
    for command in COMMANDS:
        done = subprocess.run([tapescope, command, path, "--json", "-"], capture_output=True, text=True, check=False)
        assert done.returncode == 0 and done.stderr == "", f"{command} {path}: exit {done.returncode}, {done.stderr}"
        found[command] = json.loads(done.stdout)
    return found


def is_time(key, inside):
    return key.endswith("_us") or key == "share" or inside == "time"


def differences(old, new, place="", key="", inside=""):
    """What differs, as sentences that begin with the place in the document."""
    if key in WORDS and isinstance(old, str) and isinstance(new, str):
        return []
    if isinstance(old, dict) and isinstance(new, dict):
        found = [f"{place}: no '{name}' any more" for name in old.keys() - new.keys()]
        timed = "time" if key == "time" or inside == "time" else key
        for name in old.keys() & new.keys():
            found += differences(old[name], new[name], f"{place}.{name}", name, timed)
        return found
    if isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            return [f"{place}: {len(new)} entries, were {len(old)}"]
        if key == "ops":  # the slowest first: ops of equal times may change places
            old, new = (sorted(ops, key=lambda row: row["op"]) for ops in (old, new))
        return [one for i, (a, b) in enumerate(zip(old, new)) for one in differences(a, b, f"{place}[{i}]", key, inside)]
    if is_time(key, inside) and isinstance(old, (int, float)) and isinstance(new, (int, float)):
        most = max(abs(old), abs(new))
        rounded = TICKS_SAVED * most if key == "saving_us" else TICK_SHARE if key == "share" else TICK_US
        return [] if abs(old - new) <= CLOCKS * most + rounded else [f"{place}: {new}, was {old}"]
    return [] if type(old) is type(new) and old == new else [f"{place}: {new!r}, was {old!r}"]


def self_test():
    old = {"a": [{"reason": "unused", "fix": "x"}], "time": {"step": {"median": 10.0}}, "n": 1}
    assert not differences(old, {"a": [{"reason": "unused", "fix": "y"}], "time": {"step": {"median": 10.01}}, "n": 1, "new": 0})
    for other in ({"a": [{"reason": "paused", "fix": "x"}]}, {"a": []}, {"time": {"step": {"median": 10.1}}}, {"n": 2}, {"n": 1.0},
                  {"a": [{"reason": "unused", "fix": None}]}):
        assert differences(old, {**old, **other}), other


self_test()
binary, write = sys.argv[1], "--write" in sys.argv[2:]
names = sorted(name[:-5] for name in os.listdir(DATA) if name.endswith(".tape"))
assert len(names) > 30, names
failed = False
for name in names:
    found = answers(binary, os.path.join(DATA, name + ".tape"))
    known = os.path.join(DATA, name + ".json")
    if write:
        with open(known, "w", encoding="utf-8") as file:
            json.dump(found, file, ensure_ascii=False, separators=(",", ":"))
            file.write("\n")
        continue
    with open(known, encoding="utf-8") as file:
        for line in differences(json.load(file), found):
            print(f"{name}: {line}")
            failed = True
sys.exit(failed)
