"""A million gradients leave the resident memory where it was, within 1 MiB: flat_memory_test.py PROGRAM, which takes the number of steps.
Where they are recorded it is that and half a block, of a program that waits for its recording: what waits is no memory that stays.
"""
import os
import subprocess
import sys
import tempfile

FEW, SOME, MANY = 20_000, 60_000, 1_000_000
RECORDED = MANY if "TAPESCOPE_LONG" in os.environ else 250_000


def most_memory(way, steps, **environment):
    """KiB at most while that many gradients were asked for."""
    child = subprocess.Popen([sys.argv[1], way, str(steps)], stdout=subprocess.DEVNULL, env={**os.environ, **environment})
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, child.returncode
    return used.ru_maxrss


few, many = most_memory("return", FEW), most_memory("return", MANY)
print(f"{few} KiB at most in {FEW} gradients, {many} in {MANY}")
assert many <= few + 1024, (few, many)
with tempfile.TemporaryDirectory() as folder:
    few, many = (most_memory("caught-up", steps, TAPESCOPE_RECORD=os.path.join(folder, "a.tape")) for steps in (SOME, RECORDED))
print(f"recorded: {few} KiB at most in {SOME} gradients, {many} in {RECORDED}")
assert many <= few + 1536, (few, many)
