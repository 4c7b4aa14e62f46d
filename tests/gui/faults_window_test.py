"""What fails around the window ends in a sentence: faults_window_test.py TAPESCOPE FAULTS RECORDING.

A screen without OpenGL, and calls of the system that fail one after the other (FAULTS, see ../faults), while it runs a sample, writes a
picture and its settings, or shows a recording. No signal ends it, and it says a line or two. Mappings are left out: oneDNN writes to
those that it did not get."""
import os
import subprocess
import sys
import tempfile

from scripted_window import PATIENCE, ScriptedWindow

tapescope, faults, recording = sys.argv[1:]


def without_opengl(scripted):
    """A separate screen that has no GLX."""
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp", "-extension", "GLX"], pass_fds=[write],
                              stderr=subprocess.DEVNULL)
    try:
        os.close(write)
        with os.fdopen(read) as number:
            display = number.readline().strip()
        done = subprocess.run([tapescope, "gui"], capture_output=True, text=True, timeout=PATIENCE, check=False,
                              env={**scripted.environment, "DISPLAY": f":{display}"})
        assert done.returncode == 3 and done.stderr.count("\n") == 1, done
        assert "OpenGL" in done.stderr and "install" in done.stderr, done.stderr
    finally:
        server.kill()
        server.wait()


def failing(scripted, folder):
    """The faults that were met."""
    hit, met = os.path.join(folder, "hit"), 0
    sample = (["sample mnist-mlp", "run", "wait step 5", "pause", "wait paused", f"shot {folder}/a.png", "quit"], ())
    opened = (["wait seconds 0.2", "quit"], ("--open", recording))
    for lines, arguments in (sample, opened):
        for call in ("open", "read", "write"):
            for number in ("1", "2", "3", "4", "5", "8", "1+"):
                if os.path.exists(hit):
                    os.remove(hit)
                scripted.environment.update(LD_PRELOAD=faults, FAULT=f"{call}:{number}", FAULT_HIT=hit)
                window = scripted.start(*lines, arguments=arguments)
                said = window.communicate(timeout=2 * PATIENCE)[1]
                what = (lines[0], call, number, window.returncode, said[-500:])
                ours = [line for line in said.splitlines() if not line.startswith("Fontconfig")]
                assert window.returncode in (0, 1, 2, 3) and len(ours) <= 2, what
                if not os.path.exists(hit):
                    break
                met += 1
    return met


with tempfile.TemporaryDirectory() as folder:
    scripted = ScriptedWindow(tapescope, folder)
    without_opengl(scripted)
    # What is no script is none, and no empty one with which the window would stay.
    done = subprocess.run([tapescope, "gui", "--script", folder], capture_output=True, text=True, timeout=PATIENCE, check=False, env=scripted.environment)
    assert done.returncode == 3 and done.stderr.count("\n") == 1 and folder in done.stderr, done
    met = failing(scripted, folder)
    assert met > 20, met
    print(f"{met} faults met")
