"""The window starts a program, stands before its first op, and starts it again: launch_window_test.py TAPESCOPE PROGRAM, on a separate display."""
import os
import sys
import tempfile

from scripted_window import PATIENCE, ScriptedWindow, wait

tapescope, program = map(os.path.abspath, sys.argv[1:])
name = os.path.basename(program)

with tempfile.TemporaryDirectory() as folder:
    scripted = ScriptedWindow(tapescope, folder)
    play, state = scripted.play, scripted.state
    # It stands before its first op; then it is stepped, stopped in a backward pass, started again and run to its end.
    play("wait paused", f"state {folder}/first.json", "step-forward", "wait paused", f"state {folder}/one.json", "break backward", "run", "wait paused",
         f"state {folder}/backward.json", "restart", "wait paused", f"state {folder}/again.json", "clear-breaks", "run", "wait idle",
         f"state {folder}/end.json", "quit", arguments=("--launch", "--", program, "30"))
    first, one, backward, again, end = (state(f"{each}.json") for each in ("first", "one", "backward", "again", "end"))
    assert first["mode"] == "paused" and first["sample"] == name and first["cursor"] == 0, first
    assert one["mode"] == "paused" and one["cursor"] >= 1, one
    assert backward["frame"]["breakpoint"] == "a backward pass begins", backward["frame"]
    assert again["mode"] == "paused" and again["cursor"] == 0, again
    assert end["mode"] == "finished" and len(end["loss"]) == 30, (end["mode"], len(end["loss"]))

    # From within; what runs is ended with the window, or by stop, and what was detached runs on.
    play(f"launch {program} 1000000000", "wait paused", "run", "wait step 3", "stop", "wait idle", f"launch '{program}' 1000000000", "wait paused", "quit")
    wait(lambda: scripted.listed() == [])
    # What it is to stop at may be said before it is started.
    play("break backward", f"launch {program} 1000000000", "run", "wait paused", f"state {folder}/ahead.json", "quit")
    assert state("ahead.json")["frame"]["breakpoint"] == "a backward pass begins", state("ahead.json")["frame"]
    # It keeps the window's standard error open.
    window = scripted.start("wait paused", "run", "wait step 1", "detach", "quit", arguments=("--launch", "--", program, "1000000000"))
    assert window.wait(timeout=PATIENCE) == 0
    left, = scripted.listed()
    os.kill(left["pid"], 9)

    # In a folder, recorded there, without a stop; and once more to the same place.
    runs = os.path.join(folder, "my runs")
    os.mkdir(runs)
    play(f"launch --folder '{runs}' --record mine.tape --run {program} 20", "wait idle", f"state {folder}/ran.json", "quit")
    assert state("ran.json")["mode"] == "finished" and len(state("ran.json")["loss"]) == 20
    assert os.path.getsize(os.path.join(runs, "mine.tape")) > 0
    play(f"launch {program} 1000000000", "wait paused", "step-training 3", "wait paused", "step-forward 4", "wait paused", f"state {folder}/stood.json",
         "run-again", "wait paused", "wait paused", f"state {folder}/again.json", "select op 3", "wait seconds 0.2",
         "quit", arguments=("--ui-map", f"{folder}/map.json"))
    stood, again = state("stood.json"), state("again.json")
    for fact in ("mode", "step", "cursor", "cursor_count", "frame_hash"):
        assert stood[fact] == again[fact], (fact, stood[fact], again[fact])
    # The graph draws the step before, whose ops are to come again, and calls it what the toolbar does.
    words = {item["id"]: item["label"] for item in state("map.json")["items"]}
    assert words["words/step"] == "step 3" and words["words/graph"].startswith("step 3 "), words
    # It cannot go back: nothing offers to read an op that ran before it was stopped, by running it on.
    assert "inspector/go" in words and "inspector/read" not in words, words

    # One that is over is met again at the op in focus of the step that is shown, which then has its values.
    play(f"launch --run {program} 20", "wait idle", "go-step 4", "wait idle", "select op 2", "run-again", "wait paused", "wait paused",
         f"state {folder}/met.json", "wait seconds 0.2", "quit", arguments=("--ui-map", f"{folder}/map.json"))
    met = state("met.json")
    assert met["mode"] == "paused" and met["cursor"] > 0 and met["values"][0]["kept"], met
    assert "step 4" in [item["label"] for item in state("map.json")["items"] if item["id"] == "words/step"], met

    # What cannot be started is a sentence.
    for words, said in ((["true"], "ended before it could be attached to"), (["./absent"], "there is no program ./absent; check the path")):
        assert said in play("quit", arguments=("--launch", "--", *words), code=3)
        assert said in play("launch " + " ".join(words), code=1)
    assert "there is no folder /absent" in play(f"launch --folder /absent {program}", code=1)
    assert "go together" in play("quit", arguments=("--launch",), code=2)
