"""A program that knows nothing of recordings is recorded where the environment asks for it: environment_test.py TAPESCOPE PROGRAM."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

tapescope, program = sys.argv[1:]


def kinds_of_chunks(path):
    with open(path, "rb") as file:
        data = file.read()
    kinds, at = [], 16
    while at < len(data):
        assert data[at:at + 4] == b"TSCK", at
        kinds.append(data[at + 4])
        at += 32 + int.from_bytes(data[at + 8:at + 12], "little")
    return kinds


def explained(path):
    done = subprocess.run([tapescope, "explain", path, "--json", "-"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout), done.stderr


with tempfile.TemporaryDirectory() as folder:
    plain = subprocess.run([program], capture_output=True, text=True, check=True)
    environment = {**os.environ, "TAPESCOPE_RECORD": os.path.join(folder, "fit-%p.tape")}
    recorded = subprocess.run([program], capture_output=True, text=True, check=True, env=environment)
    assert recorded.stdout == plain.stdout and recorded.stderr == "", recorded
    name, = os.listdir(folder)
    assert name[4:-5].isdigit(), name
    answer, lacks = explained(os.path.join(folder, name))
    assert lacks == "" and answer["sample"] == os.path.basename(program), (lacks, answer["sample"])
    rows = {row["source"]: row for row in answer["gradients"]}
    assert rows["slope"]["status"] == "value", rows
    assert rows["offset"]["reason"] == "outside_tape_before", rows["offset"]
    assert rows["offset"]["location"].startswith("main.cpp:"), rows["offset"]
    # The words of the recording are those of the tape.
    assert plain.stdout.splitlines()[0] == "offset: " + rows["offset"]["message"], (plain.stdout, rows["offset"])

    # What cannot be recorded is a sentence, and the program goes on.
    for path, words in (("/nonexistent/a.tape", "cannot record to"), ("/dev/full", "cannot go on recording to")):
        done = subprocess.run([program], capture_output=True, text=True, check=True, env={**environment, "TAPESCOPE_RECORD": path})
        assert done.stdout == plain.stdout and words in done.stderr and done.stderr.count("\n") == 1, done

    # Values of the steps that a rule names; a rule that names none is reported.
    for rule, words in (("first,every:20,last", ""), ("zonk", "TAPESCOPE_RECORD_VALUES: 'zonk' does not say whose values to keep")):
        path = os.path.join(folder, rule[:4])
        done = subprocess.run([program], capture_output=True, text=True, check=True,
                              env={**environment, "TAPESCOPE_RECORD": path, "TAPESCOPE_RECORD_VALUES": rule})
        assert done.stdout == plain.stdout and (words in done.stderr if words else done.stderr == ""), done
        assert os.path.exists(path) == (words == ""), path
        if not words:
            # Steps 1, 21, 41 and 50 of fifty.
            assert kinds_of_chunks(path).count(7) == 4 and explained(path)[1] == "", kinds_of_chunks(path)

    # Processes of one machine in one trace: each with its name and id, on one clock, so that what ran later stands later.
    ranks = []
    for _ in range(2):
        child = subprocess.Popen([program], stdout=subprocess.DEVNULL, env={**environment, "TAPESCOPE_RECORD": os.path.join(folder, "rank-%p")})
        assert child.wait() == 0
        ranks.append(child.pid)
    trace = subprocess.run([tapescope, "export", os.path.join(folder, f"rank-{ranks[1]}"), "--with", os.path.join(folder, f"rank-{ranks[0]}"),
                            "--format", "perfetto", "-o", "-"], capture_output=True, text=True, check=True)
    events = json.loads(trace.stdout)["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    assert names == {pid: os.path.basename(program) for pid in ranks}, names
    times = {pid: [event["ts"] for event in events if event["ph"] == "X" and event["pid"] == pid] for pid in ranks}
    assert 0 <= min(times[ranks[0]]) and max(times[ranks[0]]) < min(times[ranks[1]]) < 60e6, [(min(t), max(t)) for t in times.values()]
    done = subprocess.run([tapescope, "export", os.path.join(folder, f"rank-{ranks[1]}"), "--with", "x", "--format", "csv", "-o", "-"],
                          capture_output=True, text=True)
    assert done.returncode == 2 and "--format perfetto" in done.stderr, done

    # Killed while it runs: what it had written opens, and says that the end is missing.
    path = os.path.join(folder, "killed.tape")
    child = subprocess.Popen([program, "1000000000"], stdout=subprocess.DEVNULL, env={**environment, "TAPESCOPE_RECORD": path})
    deadline = time.time() + 30
    while time.time() < deadline and not (os.path.exists(path) and os.path.getsize(path) > 100_000):
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    answer, lacks = explained(path)
    assert "everything up to there is shown" in lacks, lacks
    assert [row["source"] for row in answer["gradients"]] == ["offset", "slope"], answer["gradients"]

    # An option that is wrong is reported before anything runs.
    for option, words in (("--record-values lasst", "expected none, or a list of first, last, every:N"), ("--record-budget -1", "--record-budget")):
        path = os.path.join(folder, "wrong.tape")
        done = subprocess.run([tapescope, "run", "derivative", "--record", path, *option.split()], capture_output=True, text=True)
        assert done.returncode == 2 and words in done.stderr and done.stdout == "", done
        assert not os.path.exists(path)

    # Text that was changed after the program was built has other lines than the answer.
    copy = os.path.join(folder, "copy")
    shutil.copy(program, copy)
    with open(os.path.join(folder, "main.cpp"), "w", encoding="utf-8") as file:
        file.write("// edited\n")
    for built, warned in ((time.time() + 60, False), (1e9, True)):
        os.utime(copy, (built, built))
        done = subprocess.run([os.path.abspath(tapescope), "explain", "--", copy], capture_output=True, text=True, check=True, cwd=folder)
        assert ("was changed after" in done.stderr) == warned, done
