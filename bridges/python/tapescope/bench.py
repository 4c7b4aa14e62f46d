"""What recording costs a TensorFlow program: `python -m tapescope.bench [--json] [NAME...]`, or `tapescope bench bridge`.

Each load runs bare and recorded in short turns, one after the other in one process, so that both meet the same machine. The quickest repetition of
each side counts, as whatever else runs on the machine only adds.
"""
import json
import os
import sys
import tempfile
import time

TURNS = 15


def _seconds(load, repetitions):
    quickest = float("inf")
    for _ in range(repetitions):
        begin = time.perf_counter()
        load()
        quickest = min(quickest, time.perf_counter() - begin)
    return quickest


def _measure(load, unit, operations, folder):
    """Microseconds of one operation, bare and recorded, and what recording adds in each turn."""
    import tapescope
    for _ in range(3):
        load()
    repetitions = 3 if operations == 1 else 30
    turns = []
    for turn in range(TURNS):
        bare = _seconds(load, repetitions)
        path = os.path.join(folder, f"{turn}.tape")
        with tapescope.record(path):
            load()  # meets each line and type once
            recorded = _seconds(load, repetitions)
        os.unlink(path)
        turns.append((bare, recorded))
    bare, recorded = (min(side) / operations * 1e6 for side in zip(*turns))
    added = sorted(((more - less) / operations * 1e6 if unit == "us" else 100 * (more / less - 1)) for less, more in turns)
    return bare, recorded, added


def _row(name, unit, budget, load, operations, folder):
    bare, recorded, added = _measure(load, unit, operations, folder)
    value = recorded - bare if unit == "us" else 100 * (recorded / bare - 1)
    return {"name": f"bridge.{name}", "value": value, "low": added[len(added) // 10], "high": added[-1 - len(added) // 10], "unit": unit,
            "target": budget, "bare_us": bare, "recorded_us": recorded, "met": value <= budget}


def _note(row):
    return f"{row['bare_us']:.1f} us bare, {row['recorded_us']:.1f} recorded: budget {'met' if row['met'] else 'missed'}"


def _loads():
    """The loads; None where there is no TensorFlow, whose import writes to standard error what is of no use here."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        from tapescope.programs.tensorflow_loads import LOADS
        return LOADS
    except ModuleNotFoundError as error:
        if error.name not in ("tensorflow", "keras"):
            raise
        return None
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def main():
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")]
    loads = _loads()
    document = "--json" in sys.argv[1:]
    if loads is None:
        problem = f"{sys.executable} has no TensorFlow, whose overhead is measured; $PYTHON names another Python"
        print(json.dumps({"problem": problem}) if document else f"tapescope: {problem}", file=sys.stdout if document else sys.stderr)
        return 3
    with tempfile.TemporaryDirectory(prefix="tapescope-") as folder:
        rows = [_row(*load, folder) for load in loads if not wanted or load[0] in wanted]
    import tensorflow
    if document:
        print(json.dumps({"framework": f"tensorflow {tensorflow.__version__}", "load": os.getloadavg()[0],
                          "results": [{**row, "note": _note(row)} for row in rows]}))
        return 0
    print(f"TensorFlow {tensorflow.__version__}, {os.getloadavg()[0]:.1f} processes waiting on {os.cpu_count()} cores")
    for row in rows:
        print(f"{row['name']:20} +{row['value']:.1f} {row['unit']} (budget {row['target']:g}; {row['low']:.1f} to {row['high']:.1f}), {_note(row)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
