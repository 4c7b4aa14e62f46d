"""The window saves what it shows and shows what it saved: recording_window_test.py TAPESCOPE, on a separate display."""
import os
import subprocess
import sys
import tempfile

from scripted_window import ScriptedWindow

tapescope = sys.argv[1]

with tempfile.TemporaryDirectory() as folder:
    window = ScriptedWindow(tapescope, folder)
    play, state = window.play, window.state
    saved, copy = os.path.join(folder, "a.tape"), os.path.join(folder, "b.tape")
    play("sample linear-regression", "steps 12", "run", "wait idle", f"save {saved}", f"state {folder}/live.json",
         "sample derivative", f"open {saved}", "wait idle", f"state {folder}/opened.json", f"save {copy}", "run", "wait idle",
         f"state {folder}/again.json", "quit")
    live, opened, again = state("live.json"), state("opened.json"), state("again.json")
    assert len(live["loss"]) == 12 and live["gradients"], live
    differs = {field: (live[field], opened[field]) for field in live if opened[field] != live[field]}
    assert not differs, differs
    with open(saved, "rb") as a, open(copy, "rb") as b:
        assert a.read() == b.read()
    # Its sample runs again where one asks for that, and computes the same.
    assert again["loss"] == live["loss"], again["loss"]

    # From the command line, and of a program that is no sample.
    foreign = os.path.join(folder, "python.tape")
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    subprocess.run([sys.executable, "-B", os.path.join(root, "assets", "tape_writer.py"), foreign], check=True)
    play("wait idle", f"state {folder}/foreign.json", "quit", arguments=("--open", foreign))
    shown = state("foreign.json")
    assert shown["sample"] == "from-python" and shown["step"] == 3, shown
    assert [row["reason"] for row in shown["gradients"]] == ["integer_cast", None], shown["gradients"]

    for line, words in ((f"open {folder}/script", "is no recording"), ("open /nonexistent.tape", "cannot read /nonexistent.tape"),
                        ("save /nonexistent/a.tape", "nothing has run yet")):
        said = play(line, code=1)
        assert words in said and said.startswith("line 1: "), said
    said = play("wait idle", "step-forward", arguments=("--open", foreign), code=1)
    assert "holds no values" in said, said
