"""The window attaches to a program that runs: live_window_test.py TAPESCOPE PROGRAM, on a separate display."""
import os
import signal
import subprocess
import sys
import tempfile

from scripted_window import ScriptedWindow, runs, wait

tapescope, program = sys.argv[1:]
name = os.path.basename(program)

with tempfile.TemporaryDirectory() as folder:
    scripted = ScriptedWindow(tapescope, folder)
    play, state, listed = scripted.play, scripted.state, scripted.listed
    child = scripted.start_program(program, "1000000000", TAPESCOPE_LISTEN="1")
    try:
        wait(lambda: len(listed()) == 1)
        # By its process: stopped in a backward pass, stepped there and back, let go on, looked at again.
        play("wait step 3", f"state {folder}/running.json", "break backward", "wait paused", f"state {folder}/backward.json", "step-forward",
             f"state {folder}/one.json", "step-forward", f"state {folder}/two.json", "step-back", f"state {folder}/back.json", "clear-breaks",
             "step-training 2", "wait paused", f"state {folder}/later.json", "step-last", f"state {folder}/last.json", "run", "wait seconds 0.2",
             "detach", "wait idle", f"state {folder}/detached.json", f"save {folder}/live.tape", f"open {folder}/live.tape", "wait idle",
             f"state {folder}/saved.json", f"attach {name}", "wait step 1", "pause", "wait paused",
             f"state {folder}/again.json", f"shot {folder}/again.png", "quit", arguments=("--attach", str(child.pid)))
        running, backward, one, two, back, later, last = (state(f"{each}.json") for each in ("running", "backward", "one", "two", "back", "later", "last"))
        assert running["mode"] == "running" and running["sample"] == name and running["step"] >= 3, running
        # Those of the last whole step: of one under way some answers may be still to come.
        rows = {row["source"]: row for row in backward["gradients"]}
        assert rows["slope"]["status"] == "value" and rows["offset"]["status"] == "none", rows
        assert backward["mode"] == "paused" and backward["frame"]["breakpoint"] == "a backward pass begins", backward["frame"]
        assert one["cursor"] == backward["cursor"] + 1 and two["cursor"] == one["cursor"] + 1, (one["cursor"], two["cursor"])
        assert one["frame"]["cotangents_out"] and one["frame"]["op"] and one["frame"]["location"].startswith("main.cpp:"), one["frame"]
        assert back["frame_hash"] == one["frame_hash"] != two["frame_hash"], (back, one, two)
        assert back["frame"] == one["frame"]
        assert later["step"] == one["step"] + 2 and later["cursor"] == back["cursor"], later
        assert last["cursor"] == last["cursor_count"] > later["cursor"], last
        detached, again = state("detached.json"), state("again.json")
        assert detached["mode"] == "finished" and detached["gradients"], detached
        assert again["mode"] == "paused" and again["step"] >= later["step"], again
        # What was seen was saved: of the loss the window keeps the first points and the latest, the recording all.
        saved = state("saved.json")
        sources = [[(row["source"], row["status"]) for row in of["gradients"]] for of in (saved, detached)]
        assert (saved["sample"], sources[0]) == (name, sources[1]), (saved["sample"], sources)
        kept, written = detached["loss"], saved["loss"]
        assert len(written) >= len(kept) > 0, (len(written), len(kept))
        assert written[:512] == kept[:512] and written[-1000:] == kept[-1000:], (written[:5], kept[:5], written[-5:], kept[-5:])
        assert saved["dropped_events"] == detached["dropped_events"], (saved["dropped_events"], detached["dropped_events"])
        # The window closed while the program stood: it goes on.
        assert runs(child) and listed()[0]["attached"] is None

        # What cannot be done is a sentence.
        for lines, words in ((("stop",), "is not the window's to start or end"), (("wait step 1", "step-forward"), "the program runs; pause it first"),
                             ((f"save {folder}/a.tape",), "the program runs; pause it"), (("attach 1",), "no program of process 1 listens"),
                             (("detach", "run"), "is not attached to any more")):
            said = play(*lines, arguments=("--attach", name), code=1)
            assert words in said and said.startswith(f"line {len(lines)}: "), (lines, said)
        assert "no program called absent listens" in play("quit", arguments=("--attach", "absent"), code=3)
        assert "give one of them" in play("quit", arguments=("--attach", name, "--sample", "derivative"), code=2)

        # A window that is killed while the program stands leaves it running, and the next one attaches.
        window = scripted.start("wait step 1", "pause", "wait paused", f"state {folder}/standing.json", "wait seconds 100", arguments=("--attach", name))
        wait(lambda: os.path.exists(os.path.join(folder, "standing.json")))
        assert listed()[0]["attached"] == window.pid, listed()
        window.send_signal(signal.SIGKILL)
        window.communicate()
        assert runs(child)

        # The first screen lists it, and a click attaches.
        play("wait seconds 2", f"click start/attach/{child.pid}", "wait step 1", f"state {folder}/clicked.json", "quit")
        assert state("clicked.json")["sample"] == name, state("clicked.json")

        # One that hangs does not hold it for more than ten seconds.
        os.remove(os.path.join(folder, "standing.json"))
        window = scripted.start("wait step 1", "pause", "wait paused", f"state {folder}/standing.json", "wait seconds 100", arguments=("--attach", name))
        wait(lambda: os.path.exists(os.path.join(folder, "standing.json")))
        window.send_signal(signal.SIGSTOP)
        assert runs(child)
        window.kill()
        window.communicate()

        # A program that is killed leaves what it sent on the screen.
        window = scripted.start("wait step 1", f"state {folder}/alive.json", "wait idle", f"state {folder}/killed.json", "quit", arguments=("--attach", name))
        wait(lambda: os.path.exists(os.path.join(folder, "alive.json")))
        child.send_signal(signal.SIGKILL)
        assert window.wait(timeout=60) == 0, window.communicate()
        alive, killed = state("alive.json"), state("killed.json")
        assert killed["mode"] == "finished" and f"{name} ({child.pid}) was killed or crashed" in killed["error"], killed["error"]
        # On a busy machine a program that writes this fast outruns the window, which counts what it missed.
        assert killed["step"] >= alive["step"] > 0 and killed["gradients"], str(killed)[:2000]
    finally:
        child.kill()
        child.wait()
    assert listed() == []
    # Without a display it is one sentence, too.
    done = subprocess.run([tapescope, "gui", "--attach", "1"], capture_output=True, text=True, env={**scripted.environment, "DISPLAY": ""})
    assert done.returncode == 3 and done.stderr.count("\n") == 1 and "tapescope: " in done.stderr, done
