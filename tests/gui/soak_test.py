"""Memory and disk stay flat in long runs: soak_test.py TAPESCOPE PACKAGE_FOLDER [MINUTES], on a separate display.

A window trains mnist-mlp, and another one is attached to a Python program, each for half of the time. In the last third of
each run, resident memory and files that have no name any more are at most 2 % above those of the middle third.
"""
import os
import sys
import tempfile
import time

from scripted_window import ScriptedWindow, wait

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "..", "bridges", "live_program.py")
GROWTH = 1.02
PAGE = os.sysconf("SC_PAGE_SIZE")
tapescope, package = sys.argv[1:3]
minutes = float(sys.argv[3]) if len(sys.argv) > 3 else 30.0


def resident(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * PAGE


def held_on_disk(pid):
    """Bytes of files that the process has open and that no folder lists: the window's spool is such a file."""
    total = 0
    for descriptor in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{descriptor}"
        try:
            if os.readlink(path).endswith(" (deleted)"):
                total += os.stat(path).st_blocks * 512
        except OSError:
            pass  # closed meanwhile
    return total


def watched(what, window, others, seconds):
    """Measures while the window lives; fails where something grows."""
    rows = {"window's memory": lambda: resident(window.pid), "window's disk": lambda: held_on_disk(window.pid),
            **{f"{name}'s memory": lambda pid=pid: resident(pid) for name, pid in others.items()}}
    measured = {row: [] for row in rows}
    end = time.time() + seconds
    while time.time() < end:
        assert window.poll() is None, window.communicate()
        for row, measure in rows.items():
            measured[row].append(measure())
        time.sleep(min(1.0, seconds / 60))
    grown = []
    for row, values in measured.items():
        third = len(values) // 3
        middle, last = (sum(part) / len(part) / 1e6 for part in (values[third:2 * third], values[2 * third:]))
        print(f"{what}, {row}: {values[0] / 1e6:.1f} MB at first, {middle:.1f} in the middle third, {last:.1f} in the last", flush=True)
        if last > GROWTH * middle + 0.1:
            grown.append(row)
    assert not grown, (what, grown)


with tempfile.TemporaryDirectory() as folder:
    scripted = ScriptedWindow(tapescope, folder)
    seconds = minutes * 60 / 2
    began = os.path.join(folder, "began.json")
    script = ("wait step 3", f"state {began}", f"wait seconds {seconds + 60:.0f}", f"state {folder}/ended.json", "quit")

    window = scripted.start("run", *script, arguments=("--sample", "mnist-mlp", "--steps", "1000000000"))
    try:
        wait(lambda: os.path.exists(began))
        watched("mnist-mlp", window, {}, seconds)
    finally:
        window.kill()
        window.wait()
    os.remove(began)

    program = scripted.start_program(sys.executable, PROGRAM, package, "1000000000", os.path.join(folder, "report"))
    window = None
    try:
        wait(lambda: program.pid in [each["pid"] for each in scripted.listed()])
        window = scripted.start(*script, arguments=("--attach", str(program.pid)))
        wait(lambda: os.path.exists(began))
        watched("live_program.py", window, {"program": program.pid}, seconds)
    finally:
        for process in filter(None, (window, program)):
            process.kill()
            process.wait()
