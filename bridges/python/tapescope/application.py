"""The application that shows what is recorded: beside the package where both were built or installed together, else the one on PATH."""
import os
import shutil
import subprocess
import sys


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


def show(pid):
    """Opens the window on a process of this machine; it outlives neither the other."""
    found = _needed()
    if found:
        subprocess.Popen([found, "gui", "--attach", str(pid)], start_new_session=True)


def explain(recording):
    """Prints what a recording says."""
    found = _needed()
    if found:
        sys.stdout.flush()
        subprocess.run([found, "explain", recording], check=False)
