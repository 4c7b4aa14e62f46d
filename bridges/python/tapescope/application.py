"""The application that shows what is recorded: beside the package where both were built or installed together, else the one on PATH."""
import os
import shutil
import subprocess
import sys
import time

from tapescope import _tapescope as module


def path():
    """The binary, or None. $TAPESCOPE names another."""
    here = os.path.dirname(os.path.abspath(__file__))
    beside = [os.path.join(here, "bin", "tapescope"), os.path.join(here, "..", "..", "tapescope")]
    for candidate in [os.environ.get("TAPESCOPE")] + beside:
        if candidate and os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return os.path.abspath(candidate)
    return shutil.which("tapescope")


def _needed():
    found = path()
    if found is None:
        print("tapescope: the application was not found; put it on PATH or name it in $TAPESCOPE", file=sys.stderr)
    return found


def show():
    """Opens the window on this process, which listens, and returns once it shows it or has ended; a short program would be over before."""
    found = _needed()
    if not found:
        return
    window = subprocess.Popen([found, "gui", "--attach", str(os.getpid())], start_new_session=True)
    while not module.attached() and window.poll() is None:
        time.sleep(0.02)


def explain(recording):
    """Prints what a recording says."""
    found = _needed()
    if found:
        sys.stdout.flush()
        subprocess.run([found, "explain", recording], check=False)
