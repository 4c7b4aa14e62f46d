"""The Jobs panel over the ranks of a job, recorded and running: jobs_window_test.py TAPESCOPE PROGRAM, on a separate display."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from scripted_window import ScriptedWindow, wait

tapescope, program = sys.argv[1:]
if not shutil.which("mpirun"):
    print("skipped: Open MPI's mpirun is needed (openmpi-bin)")
    sys.exit(77)


def mpirun(folder, *command, **settings):
    """Two ranks of it."""
    return subprocess.Popen(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", errors="replace", cwd=folder, start_new_session=True,
                            env={**scripted.environment, "HWLOC_COMPONENTS": "-gl", **settings})


def recorded(folder, name, *arguments):
    job = mpirun(folder, tapescope, "run", "data-parallel", "--set", "units=16", "--set", "layers=3", "--steps", "30", "--record", f"{name}-%r.tape", *arguments)
    said = job.communicate(timeout=110)[1]
    if "no MPI" in said:
        print("skipped: this build has no MPI")
        sys.exit(77)
    assert job.returncode == 0, said


with tempfile.TemporaryDirectory() as folder:
    scripted = ScriptedWindow(tapescope, folder)
    play, state, listed = scripted.play, scripted.state, scripted.listed
    recorded(folder, "slow", "--variant", "optimized", "--set", "slow_rank=1", "--set", "slow_ms=15")
    recorded(folder, "apart", "--variant", "diverging")
    recorded(folder, "skip", "--variant", "optimized", "--set", "skip_rank=1")

    # One action opens all ranks, and what is wrong stands in the panel; a second shows the rank.
    for name, kind in (("slow", "straggler"), ("apart", "diverged"), ("skip", "only")):
        play("wait idle", f"state {folder}/{name}.json", f"shot {folder}/{name}.png", "click jobs/colour/waits", "click jobs/finding/0", "wait idle", f"state {folder}/{name}-shown.json",
             "quit", arguments=("--job", os.path.join(folder, f"{name}-%r.tape"), "--size", "1280x860"))
        opened, shown = state(f"{name}.json"), state(f"{name}-shown.json")
        assert [program["rank"] for program in opened["programs"]] == [0, 1] and opened["panel"] == "jobs", opened["programs"]
        found = [(finding["kind"], finding["ranks"]) for finding in opened["job"]["findings"]]
        assert (kind, [1]) in found, (name, found)
        assert (kind in [alert["kind"] for alert in opened["alerts"]]) == (kind != "only"), (name, opened["alerts"])
        assert [program["shown_as"] for program in shown["programs"]] == [None, "A"], (name, shown["programs"])
    # Replicas that differ are an alert of each rank; a click shows the step and the line of the source.
    play("wait idle", "click alerts/row/0", "panel source", "wait idle", f"state {folder}/clicked.json", "quit", arguments=("--job", os.path.join(folder, "apart-%r.tape"), "--size", "1600x1000"))
    clicked = state("clicked.json")
    alert = clicked["alerts"][0]
    assert alert["kind"] == "diverged" and clicked["job"]["findings"][0]["message"] == alert["message"] and clicked["selection"] == "alert 0", (alert, clicked["selection"])
    assert alert["location"].startswith("data_parallel.cpp:") and clicked["source"]["line"] == int(alert["location"].split(":")[1]), (alert["location"], clicked["source"])
    # In a small window too, and from a folder.
    os.mkdir(os.path.join(folder, "ranks"))
    for rank in range(2):
        shutil.copy(os.path.join(folder, f"apart-{rank}.tape"), os.path.join(folder, "ranks"))
    # Two processors that do something else, too, may make a straggler of a rank, which stands above the ranks.
    for thing, size in (("finding/0", "640x400"), ("rank/1", "640x520")):
        play("wait idle", "maximize jobs", "wait idle", f"click jobs/{thing}", f"state {folder}/small.json", "quit", arguments=("--job", os.path.join(folder, "ranks"), "--size", size))
    assert state("small.json")["job"]["findings"][0]["kind"] == "diverged"
    assert "no process of a job called absent" in play("quit", arguments=("--job", "absent"), code=3)

    # Two ranks that run: both are attached to by one click, stop together and go on together.
    job = mpirun(folder, program, "1000000000", "2", TAPESCOPE_LISTEN="1")
    try:
        wait(lambda: len(listed()) == 2)
        name = listed()[0]["job"]
        assert name and [program["job"] for program in listed()] == [name, name] and sorted(program["rank"] for program in listed()) == [0, 1], listed()
        play("wait seconds 1", f"click start/job/{name}", "wait step 5", f"state {folder}/both.json", "pause", "wait paused", "wait seconds 1", f"state {folder}/paused.json",
             "wait seconds 1", f"state {folder}/still.json", "run", "wait seconds 1", f"state {folder}/on.json", "program 2", "break backward", "wait paused", "wait seconds 1",
             f"state {folder}/broken.json", "clear-breaks", "run", "wait seconds 0.5", f"state {folder}/last.json", "quit")
        both, paused, still, on, broken, last = (state(f"{each}.json") for each in ("both", "paused", "still", "on", "broken", "last"))
        assert [program["rank"] for program in both["programs"]] == [0, 1] and both["job"]["size"] == 2, both["programs"]
        # They began long ago, with equal values: nothing of the step in which the window came says otherwise.
        for seen in (both, paused, on, broken, last):
            assert not [finding for finding in seen["job"]["findings"] if finding["kind"] == "diverged"], seen["job"]["findings"]

        def steps(of):
            return [program["step"] for program in of["programs"]]

        # None runs on: a rank stands at an op, or in the exchange that waits for the other.
        assert [program["mode"] for program in paused["programs"]] == ["paused", "paused"] and steps(paused) == steps(still), (paused["programs"], still["programs"])
        assert abs(steps(paused)[0] - steps(paused)[1]) <= 1, paused["programs"]
        assert all(after > before for before, after in zip(steps(still), steps(on))), (still["programs"], on["programs"])
        assert broken["programs"][1]["mode"] == "paused" and abs(steps(broken)[0] - steps(broken)[1]) <= 1, broken["programs"]
        assert all(after > before for before, after in zip(steps(broken), steps(last))), (broken["programs"], last["programs"])
        # The window is gone, the job runs on.
        assert job.poll() is None
        # A rank that dies while the job stands is said in a sentence, and what came of both stays.
        window = scripted.start("wait seconds 1", f"click start/job/{name}", "wait step 5", "pause", "wait paused", "wait seconds 1", f"state {folder}/stands.json", "wait idle", "program 2", "wait idle",
                                f"state {folder}/died.json", "quit")
        wait(lambda: os.path.exists(f"{folder}/stands.json"))
        killed = [program["pid"] for program in listed() if program["rank"] == 1][0]
        os.kill(killed, signal.SIGKILL)
        assert window.wait(timeout=120) == 0, window.communicate()
        stands, died = state("stands.json"), state("died.json")
        assert f"({killed}) was killed or crashed" in died["error"] and died["error"].count(". ") <= 1, died["error"]
        assert [after["step"] >= before["step"] for before, after in zip(stands["programs"], died["programs"])] == [True, True], (stands["programs"], died["programs"])
        assert died["job"]["compared_steps"] >= stands["job"]["compared_steps"] > 0, (stands["job"], died["job"])
    finally:
        os.killpg(job.pid, signal.SIGTERM)
        job.wait(timeout=30)
