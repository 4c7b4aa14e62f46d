"""A program that is attached to and let go of a thousand times keeps nothing of it: attachments_test.py REPLICAS, a program of that name.
Viewers leave without a word, as killed ones do.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bridges"))
import viewer  # noqa: E402

FIRST, MORE = 200, 800
GROWTH = 1024  # KiB; each left 6 KiB once


def attach(process):
    """The one before may not be let go of yet."""
    last = None
    for _ in range(500):
        try:
            return viewer.Viewer(process)
        except (AssertionError, OSError) as refused:
            last = refused
            time.sleep(0.01)
    raise last


def kept(process):
    """KiB of memory, and open files."""
    status = pathlib.Path(f"/proc/{process}/status").read_text(encoding="ascii")
    memory = next(line for line in status.splitlines() if line.startswith("RssAnon:"))
    return int(memory.split()[1]), len(os.listdir(f"/proc/{process}/fd"))


with tempfile.TemporaryDirectory() as folder:
    os.environ["XDG_RUNTIME_DIR"] = folder
    program = subprocess.Popen([sys.argv[1], "1000000000", "1"], env={**os.environ, "TAPESCOPE_LISTEN": "1"}, stdout=subprocess.DEVNULL)
    try:
        seen = []
        for times in (FIRST, MORE):
            for _ in range(times):
                attach(program.pid).socket.close()
            attach(program.pid).socket.close()  # once it answers, all before are gone
            seen.append(kept(program.pid))
        print(f"{seen[0][0]} KiB after {FIRST} viewers, {seen[1][0]} after {MORE} more")
        assert seen[1][0] <= seen[0][0] + GROWTH, seen
        assert seen[1][1] <= seen[0][1] + 2, seen
        assert program.poll() is None, program.returncode
    finally:
        program.kill()
        program.wait()
