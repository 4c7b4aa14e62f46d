"""A million gradients leave the resident memory where it was, within 1 MiB: flat_memory_test.py PROGRAM, which takes the number of steps.
Where they are recorded it is that and half a block. A recording that comes late on a busy machine holds what waits, for that time: the
least of a fifth of the run is what stays. What is kept of each gradient grows in every run, what waits does not.
"""
import os
import subprocess
import sys
import tempfile
import time

FEW, MANY = 20_000, 1_000_000
GROWTH = 1536  # KiB
RUNS = 4  # of which one has a machine that keeps up
RECORDED = MANY if "TAPESCOPE_LONG" in os.environ else 250_000


def most_memory(steps):
    """KiB at most while that many gradients were asked for."""
    child = subprocess.Popen([sys.argv[1], "return", str(steps)], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, child.returncode
    return used.ru_maxrss


def memory_as_it_records(steps):
    """KiB from moment to moment."""
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen([sys.argv[1], "return", str(steps)], stdout=subprocess.DEVNULL,
                                 env={**os.environ, "TAPESCOPE_RECORD": os.path.join(folder, "a.tape")})
        seen = []
        while child.poll() is None:
            with open(f"/proc/{child.pid}/statm", encoding="ascii") as file:
                fields = file.read().split()
            seen.append(int(fields[1]) * os.sysconf("SC_PAGE_SIZE") // 1024)
            time.sleep(0.02)
        assert child.returncode == 0, child.returncode
        return [kib for kib in seen if kib > 0]


few, many = most_memory(FEW), most_memory(MANY)
print(f"{few} KiB at most in {FEW} gradients, {many} in {MANY}")
assert many <= few + 1024, (few, many)
for _ in range(RUNS):
    memory = memory_as_it_records(RECORDED)
    fifth = len(memory) // 5
    assert fifth >= 5, memory
    early, late = min(memory[fifth:2 * fifth]), min(memory[-fifth - 1:-1])
    print(f"recorded: {early} KiB at least in the second fifth of {RECORDED}, {late} in the last")
    if late <= early + GROWTH:
        sys.exit(0)
sys.exit("the memory of a program that is recorded grows in each run")
