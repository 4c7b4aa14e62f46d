"""Compares what the window says of a program that it is attached to with `tapescope explain` of a recording:
attached.py TAPESCOPE BUILD [NAME ...], on a separate display

One window launches each program, which stands before its first op, and lets it run to its end. Statuses, reasons and places of
gradients and the alerts are to be those of the recording. Every eighth program of the corpus, every fourth with TAPESCOPE_LONG, unless
some are named.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "gui")]
import corpus  # noqa: E402
import said  # noqa: E402
from scripted_window import ScriptedWindow  # noqa: E402


def main():
    tapescope, build, *names = sys.argv[1:]
    tapescope, programs = os.path.abspath(tapescope), pathlib.Path(build).resolve() / "tests/programs"
    names = names or corpus.asked()[::4]
    subprocess.run(["cmake", "--build", build, "--target", *(f"program_{name}" for name in names)], stdout=subprocess.DEVNULL, check=True)
    differences = []
    with tempfile.TemporaryDirectory() as folder:
        window = ScriptedWindow(tapescope, folder)
        lines = []
        for name in names:
            lines += [f"launch {programs / name}", "wait paused", "run", "wait idle", f"state {folder}/{name}.json"]
        child = window.start(*lines, "quit")
        complaints = child.communicate(timeout=600)[1]
        assert child.returncode == 0, complaints
        for name in names:
            tape = os.path.join(folder, f"{name}.tape")
            # How a program ends is part of its truth, not of this.
            subprocess.run([programs / name], env={**os.environ, "TAPESCOPE_RECORD": tape}, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=120, check=False)
            run = subprocess.run([tapescope, "explain", tape, "--json", "-"], capture_output=True, timeout=120, check=True)
            differences += said.differences(name, "attached", window.state(f"{name}.json"), "recorded", json.loads(run.stdout))
    print("\n".join([*differences, f"{len(names)} programs compared, {len(differences)} differ"]))
    return 1 if differences or not names else 0


if __name__ == "__main__":
    sys.exit(main())
