"""The real window on a separate screen, driven by xdotool and by scripts: window_test.py BINARY. Run by xvfb.sh."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from real_window import PATIENCE, Window, xdo

BINARY = sys.argv[1]
SAMPLE = "variable-tracking"


def press(window, key, expected):
    """Presses a key and waits until the cursor is where it should bring it."""
    xdo("key", key)
    return window.wait(f"the cursor at {expected} after {key}", lambda m: m["state"]["cursor"] == expected)


def stepping_back_restores_the_state(folder):
    window = Window(BINARY, folder, "--sample", SAMPLE, "--steps", "3")
    try:
        window.focus()
        xdo("key", "ctrl+shift+p")
        window.wait("the palette", lambda _: window.item("palette/text"))
        xdo("type", "--delay", "40", "break backward")
        window.wait("the typed command", lambda _: window.item("palette/line"))
        time.sleep(0.3)
        xdo("key", "Return")
        window.wait("the palette to close", lambda _: not window.item("palette/text"))
        xdo("key", "F5")
        paused = window.wait("the backward pass", lambda m: m["state"]["mode"] == "paused")["state"]
        assert paused["frame_hash"], paused
        hashes = [paused["frame_hash"]]
        steps = min(5, paused["cursor_count"] - paused["cursor"])
        assert steps >= 2, paused
        for i in range(steps):
            hashes.append(press(window, "F10", paused["cursor"] + i + 1)["state"]["frame_hash"])
        assert len(set(hashes)) > 1, hashes
        for i in range(steps):
            state = press(window, "shift+F10", paused["cursor"] + steps - i - 1)["state"]
            assert state["frame_hash"] == hashes[steps - i - 1], (state, hashes)
        # By mouse as well.
        window.click("toolbar/step-forward")
        window.wait("the click's step", lambda m: m["state"]["frame_hash"] == hashes[1])
        idle_window_draws_little(window)
        xdo("key", "ctrl+q")
        assert window.process.wait(PATIENCE) == 0
    finally:
        window.close()


def idle_window_draws_little(window):
    time.sleep(1.5)
    before = window.map()["frame"]
    time.sleep(2)
    drawn = window.map()["frame"] - before
    assert drawn <= 12, f"{drawn} frames in two idle seconds"


def scripts_reach_the_same_state(folder):
    script, states = pathlib.Path(folder) / "script", [pathlib.Path(folder) / f"{i}.json" for i in range(3)]
    script.write_text(f"# as a person would\nsample {SAMPLE}\nsteps 3\nbreak backward\nrun\nwait paused\nstate {states[0]}\n"
                      f"step-forward 3\nstate {states[1]}\nkey Shift+F10\nstep-back 2\nstate {states[2]}\n"
                      f"shot {folder}/shot.png\nclear-breaks\nrun\nwait idle\nclick tab/ops\nquit\n")
    window = Window(BINARY, folder, "--script", str(script))
    try:
        _, errors = window.process.communicate(timeout=2 * PATIENCE)
        assert window.process.returncode == 0, errors
        first, there, back = [json.loads(state.read_text()) for state in states]
        assert there["cursor"] == first["cursor"] + 3, (first["cursor"], there["cursor"])
        assert back["frame_hash"] == first["frame_hash"] != there["frame_hash"]
        assert back["frame"]["op"], back["frame"]
        assert (pathlib.Path(folder) / "shot.png").read_bytes().startswith(b"\x89PNG")
    finally:
        window.close()


def a_failing_line_ends_with_1_and_says_which(folder):
    script = pathlib.Path(folder) / "script"
    script.write_text("# wrong\n\nrum\nquit\n")
    window = Window(BINARY, folder, "--script", str(script))
    try:
        _, errors = window.process.communicate(timeout=PATIENCE)
        assert window.process.returncode == 1, errors
        assert errors.strip().splitlines()[-1] == "line 3: there is no command `rum`", errors
    finally:
        window.close()


def without_a_display_it_says_so(folder):
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run([BINARY, "gui", "--ui-map", os.path.join(folder, "map.json")], env=dict(environment, XDG_CONFIG_HOME=folder), capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 3, done
    assert "display" in done.stderr and done.stderr.count("\n") == 1, done.stderr
    # As GLFW says it.
    assert re.search(r"\(.*(X11|DISPLAY|display|platform).*\)", done.stderr) and "no reason" not in done.stderr, done.stderr


for test in (without_a_display_it_says_so, a_failing_line_ends_with_1_and_says_which, scripts_reach_the_same_state,
             stepping_back_restores_the_state):
    with tempfile.TemporaryDirectory() as scratch:
        test(scratch)
        print("ok", test.__name__.replace("_", " "))
