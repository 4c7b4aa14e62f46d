"""What recording costs a TensorFlow program: `python -m tapescope.bench [--json] [NAME...]`, or `tapescope bench bridge`.

Each load runs bare and recorded in short turns, one after the other in one process, so that both meet the same machine. The quickest repetition of
each side counts, as whatever else runs on the machine only adds. A load that takes long meets the others in every repetition: there the processor's
time of all threads counts, of the quickest third of each side, and which side begins changes with each turn.
"""
import json
import os
import statistics
import sys
import tempfile
import time

TURNS = 15


def _seconds(load, repetitions, clock):
    times = []
    for _ in range(repetitions):
        begin = clock()
        load()
        times.append(clock() - begin)
    return times


def _recorded(load, repetitions, clock, path):
    import tapescope
    with tapescope.record(path):
        load()  # meets each line and type once
        times = _seconds(load, repetitions, clock)
    os.unlink(path)
    return times


def _turn(load, long, path, recorded_first):
    """Seconds of each repetition, bare and recorded."""
    how = (load, 6, time.process_time) if long else (load, 30, time.perf_counter)
    if recorded_first:
        recorded = _recorded(*how, path)
        return _seconds(*how), recorded
    return _seconds(*how), _recorded(*how, path)


def _quickest(turns, long):
    """Seconds of a repetition on each side."""
    sides = [sorted(value for times in side for value in times) for side in zip(*turns)]
    return [statistics.fmean(times[:max(1, len(times) // 3)]) if long else times[0] for times in sides]


def _row(name, unit, budget, load, operations, folder):
    """What recording adds to an operation. Low and high: to each turn but the outer tenths; of a long load, to each third of the turns."""
    for _ in range(3):
        load()
    long = operations == 1
    turns = [_turn(load, long, os.path.join(folder, f"{turn}.tape"), long and turn % 2 == 1) for turn in range(TURNS)]

    def added(some):
        bare, recorded = _quickest(some, long)
        return (recorded - bare) / operations * 1e6 if unit == "us" else 100 * (recorded / bare - 1)
    value = added(turns)
    parts = sorted(added(turns[first::3]) for first in range(3)) if long else sorted(added([turn]) for turn in turns)[TURNS // 10:-(TURNS // 10)]
    bare, recorded = (seconds / operations * 1e6 for seconds in _quickest(turns, long))
    return {"name": f"bridge.{name}", "value": value, "low": parts[0], "high": parts[-1], "unit": unit,
            "target": budget, "bare_us": bare, "recorded_us": recorded, "met": value <= budget,
            "clock": " of processor time" if long else ""}


def _note(row):
    return f"{row['bare_us']:.1f} us{row['clock']} bare, {row['recorded_us']:.1f} recorded: budget {'met' if row['met'] else 'missed'}"


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
