"""The window shows several processes of one job: job_window_test.py TAPESCOPE PROGRAM, on a separate display."""
import os
import sys
import tempfile

from scripted_window import ScriptedWindow, runs, wait

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "assets"))
from tape_writer import TapeWriter

tapescope, program = sys.argv[1:]
name = os.path.basename(program)

with tempfile.TemporaryDirectory() as folder:
    scripted = ScriptedWindow(tapescope, folder)
    play, state, listed = scripted.play, scripted.state, scripted.listed

    # Two processes that run: watched, stopped and stepped each for itself, and both together.
    ranks = [scripted.start_program(program, "1000000000", TAPESCOPE_LISTEN="1") for _ in range(2)]
    try:
        wait(lambda: len(listed()) == 2)
        play("wait step 3", f"state {folder}/running.json", "pause", "wait paused", f"state {folder}/one.json", f"program {ranks[1].pid}", "wait step 3",
             f"state {folder}/other.json", "break backward", "wait paused", f"state {folder}/backward.json", "step-forward 2", f"state {folder}/stepped.json",
             "program 1", f"state {folder}/back.json", "run-all", "wait seconds 0.2", f"state {folder}/all.json", "program 2", "clear-breaks", "run-all",
             "wait seconds 0.1", "pause-all", f"state {folder}/none.json", "beside 1", "panel timeline", f"state {folder}/beside.json",
             f"shot {folder}/beside.png", "close-beside", f"state {folder}/alone.json", "quit",
             arguments=("--attach", str(ranks[0].pid), "--attach", str(ranks[1].pid)))
        running, one, other, backward, stepped, back, going, none, beside, alone = (
            state(f"{each}.json") for each in ("running", "one", "other", "backward", "stepped", "back", "all", "none", "beside", "alone"))
        assert [(each["title"], each["shown_as"]) for each in running["programs"]] == [(f"{name} ({ranks[0].pid})", "A"), (f"{name} ({ranks[1].pid})", None)]
        assert all(each["offset_us"] is not None for each in running["programs"]), running["programs"]
        # The focus changes nothing of what they do.
        assert (one["mode"], [each["mode"] for each in other["programs"]]) == ("paused", ["paused", "running"]), (one["mode"], other["programs"])
        assert backward["frame"]["breakpoint"] == "a backward pass begins" and not back["breakpoints"], (backward["frame"], back["breakpoints"])
        assert stepped["cursor"] == backward["cursor"] + 2, stepped["cursor"]
        assert (back["step"], back["cursor"], back["frame_hash"]) == (one["step"], one["cursor"], one["frame_hash"]), (one, back)
        assert [each["mode"] for each in back["programs"]] == ["paused", "paused"], back["programs"]
        # The second stops at its breakpoint again, the first runs.
        assert going["mode"] == "running" and going["programs"][0]["step"] >= back["step"], going["programs"]
        assert [each["mode"] for each in none["programs"]] == ["paused", "paused"], none["programs"]
        assert [each["shown_as"] for each in beside["programs"]] == ["B", "A"], beside["programs"]
        assert beside["compare"]["interleaved"] is False and beside["compare"]["a"]["steps"] > 0, beside["compare"]
        assert alone["programs"] == [] and alone["frame_hash"] == beside["frame_hash"], alone
        # The one that was let go runs on, and so do both when the window is gone.
        assert all(runs(rank) for rank in ranks)
        assert [each["attached"] for each in listed()] == [None, None]

        # One that is killed is shown as ended, and the other goes on.
        window = scripted.start("wait step 3", f"state {folder}/alive.json", "wait seconds 2", f"state {folder}/killed.json", "quit",
                                arguments=[f"--attach={rank.pid}" for rank in ranks])
        wait(lambda: os.path.exists(os.path.join(folder, "alive.json")))
        ranks[1].kill()
        assert window.wait(timeout=60) == 0, window.communicate()
        killed = state("killed.json")
        assert [each["mode"] for each in killed["programs"]] == ["running", "finished"] and killed["error"] is None, killed["programs"]

        for lines, words in (((f"attach-beside {ranks[0].pid}",), "is open in this window already"), (("program absent",), "only one program is open")):
            said = play(*lines, arguments=("--attach", str(ranks[0].pid)), code=1)
            assert words in said and said.startswith(f"line {len(lines)}: "), (lines, said)
        assert "no program called absent listens" in play("quit", arguments=("--attach", str(ranks[0].pid), "--attach", "absent"), code=3)
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()

    # Two processes that ran at the same time and were recorded, and a third on another clock.
    tapes = [os.path.join(folder, f"rank-{rank}.tape") for rank in range(2)]
    ranks = [scripted.start_program(program, "400", TAPESCOPE_RECORD=tape) for tape in tapes]
    assert [rank.wait() for rank in ranks] == [0, 0]
    foreign = os.path.join(folder, "python.tape")
    with TapeWriter(foreign, name="from-python", boot="another machine") as tape:
        tape.step_begin(0)
        tape.op("MyOwnLoss", [tape.constant((3,))], ())
        tape.step_end(0)
    play("wait idle", f"state {folder}/three.json", "panel timeline", f"shot {folder}/three.png", "program 3", "wait idle", f"state {folder}/foreign.json", "quit",
         arguments=("--open", tapes[0], "--open", tapes[1], "--open", foreign))
    three, shown = state("three.json"), state("foreign.json")
    assert [(each["title"], each["process"]) for each in three["programs"][:2]] == [(os.path.basename(tape), f"{name} ({rank.pid})") for tape, rank in zip(tapes, ranks)]
    offsets = [each["offset_us"] for each in three["programs"]]
    assert min(offsets[:2]) == 0 and 0 < max(offsets[:2]) < 30e6 and offsets[2] is None, offsets
    assert three["sample"] == name and shown["sample"] == "from-python" and [each["shown_as"] for each in shown["programs"]] == [None, None, "A"], shown["programs"]
    assert "cannot read /nonexistent.tape" in play("quit", arguments=("--open", tapes[0], "--open", "/nonexistent.tape"), code=3)
    assert "give one of them" in play("quit", arguments=("--open", tapes[0], "--sample", "derivative"), code=2)
