"""Memory and disk stay flat in long runs: soak_test.py TAPESCOPE PACKAGE_FOLDER [MINUTES], on a separate display.

One window trains mnist-mlp, another one is attached to a Python program. In the last third of the time, resident memory and
files that have no name any more are at most 2 % above those of the middle third. The first third fills what has a limit, so the
program hurries; on a machine that is busy with other work half an hour is the least.
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


def watch(rows, alive, seconds):
    """Measures for so long; returns the rows that grow. `rows`: name -> function that measures bytes."""
    measured = {row: [] for row in rows}
    end = time.time() + seconds
    while time.time() < end:
        for process in alive:
            assert process.poll() is None, process.communicate()
        for row, measure in rows.items():
            measured[row].append(measure())
        time.sleep(min(1.0, seconds / 60))
    grown = []
    for row, values in measured.items():
        third = len(values) // 3
        middle, last = (sum(part) / len(part) / 1e6 for part in (values[third:2 * third], values[2 * third:]))
        print(f"{row}: {values[0] / 1e6:.1f} MB at first, {middle:.1f} in the middle third, {last:.1f} in the last", flush=True)
        if last > GROWTH * middle + 0.1:
            grown.append(row)
    return grown


with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
    alone, attached = ScriptedWindow(tapescope, folder), ScriptedWindow(tapescope, other)

    def script(place):
        return ("wait step 3", f"state {place}/began.json", f"wait seconds {minutes * 60 + 600:.0f}", "quit")

    processes = [alone.start("run", *script(folder), arguments=("--sample", "mnist-mlp", "--steps", "1000000000")),
                 attached.start_program(sys.executable, PROGRAM, package, "1000000000", os.path.join(other, "report"), "hurry")]
    try:
        sample, program = processes
        wait(lambda: program.pid in [each["pid"] for each in attached.listed()])
        processes.append(attached.start(*script(other), arguments=("--attach", str(program.pid))))
        watcher = processes[-1]
        wait(lambda: all(os.path.exists(os.path.join(place, "began.json")) for place in (folder, other)))
        grown = watch({f"{what} of {name}": lambda measure=measure, process=process: measure(process.pid)
                       for name, process in (("mnist-mlp's window", sample), ("the attached window", watcher), ("the program", program))
                       for what, measure in (("memory", resident), ("disk", held_on_disk))}, processes, minutes * 60)
        assert not grown, grown
    finally:
        for process in processes:
            process.kill()
            process.wait()
