"""A million gradients leave the resident memory where it was, within 1 MiB: flat_memory_test.py PROGRAM, which takes the number of steps."""
import os
import subprocess
import sys

FEW, MANY = 20_000, 1_000_000


def most_memory(steps):
    """KiB at most while that many gradients were asked for."""
    child = subprocess.Popen([sys.argv[1], "return", str(steps)], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, child.returncode
    return used.ru_maxrss


few, many = most_memory(FEW), most_memory(MANY)
print(f"{few} KiB at most in {FEW} gradients, {many} in {MANY}")
assert many <= few + 1024, (few, many)
