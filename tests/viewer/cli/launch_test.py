"""Programs are started, recorded and answered in one command: launch_test.py TAPESCOPE PROGRAM, PROGRAM ending as it is asked to."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

tapescope, program = map(os.path.abspath, sys.argv[1:])
environment = {name: value for name, value in os.environ.items() if not name.startswith("TAPESCOPE")}


def run(*words, **options):
    return subprocess.run([tapescope, *words], capture_output=True, text=True, timeout=60, check=False, env=environment, **options)


def fails(code, words, *command, **options):
    """The command ends with `code` and one sentence that holds `words`."""
    done = run(*command, **options)
    assert done.returncode == code and words in done.stderr and done.stderr.count("\n") == 1, (command, done)


def ending_of(path):
    return json.loads(run("explain", path, "--json", "-").stdout)["ending"]


def check_record(folder):
    # The program's output and exit code are what they are without us.
    for way, code in (("return", 0), ("exit", 3), ("abort", 128 + signal.SIGABRT), ("kill", 128 + signal.SIGKILL), ("_exit", 4)):
        plain = subprocess.run([program, way], capture_output=True, text=True, check=False)
        path = os.path.join(folder, way + ".tape")
        done = run("record", "-o", path, "--", program, way)
        assert (done.returncode, done.stdout, done.stderr) == (code, plain.stdout, plain.stderr), (way, done, plain)
    assert ending_of(os.path.join(folder, "exit.tape"))["code"] == 3
    # What the program could not write itself, its parent knows.
    killed, left = ending_of(os.path.join(folder, "kill.tape")), ending_of(os.path.join(folder, "_exit.tape"))
    assert (killed["how"], killed["signal"]) == ("signal", "SIGKILL"), killed
    assert (left["how"], left["code"]) == ("left", 4), left

    # The tail is part of the recording now.
    for way in ("kill", "_exit"):
        path = os.path.join(folder, way + ".tape")
        assert json.loads(run("report", path, "--json", "-").stdout)["steps"] == 3 and not os.path.exists(path + ".tail"), os.listdir(folder)

    # Without -o the name is the program's, in this folder; what follows -- is the program's alone.
    done = run("record", "--", program, "return", "2", cwd=folder)
    assert done.returncode == 0 and "recorded to ways_to_end.tape" in done.stderr, done
    report = json.loads(run("report", os.path.join(folder, "ways_to_end.tape"), "--json", "-").stdout)
    assert report["steps"] == 2 and report["sample"] == "ways_to_end", report["steps"]
    # Values, as the rule says; the process in the name.
    done = run("record", "-o", os.path.join(folder, "values-%p.tape"), "--values", "last", "--budget", "1", "--", program)
    name, = [name for name in os.listdir(folder) if name.startswith("values-")]
    with open(os.path.join(folder, name), "rb") as file:
        data = file.read()
    kinds, at = [], 16
    while at < len(data):
        kinds.append(data[at + 4])
        at += 32 + int.from_bytes(data[at + 8:at + 12], "little")
    assert done.returncode == 0 and name[7:-5].isdigit() and kinds.count(7) == 1, (done, name, kinds)


def check_answers(folder):
    # The same words as of a recording; --json - leaves standard output to the document.
    done = run("explain", "--", program, "return")
    assert done.returncode == 0 and done.stdout.startswith("trained\n") and "Nothing is wrong" in done.stdout, done
    done = run("explain", "--json", "-", "--", program, "abort")
    document = json.loads(done.stdout)
    assert document["verdict"] == "cannot_say" and document["ending"]["signal"] == "SIGABRT" and "trained\n" in done.stderr, done
    for way, code in (("return", 0), ("exit", 1), ("kill", 1), ("_exit", 1), ("exec", 1), ("segv", 1)):
        done = run("check", "--", program, way)
        assert done.returncode == code, (way, done)
    done = run("report", "--panel", "steps", "--json", "-", "--", program, "kill", "5")
    assert len(json.loads(done.stdout)["steps"]) == 5, done
    done = run("compare", "--json", "-", "--", program, "return", "3", "--", program, "return", "3")
    document = json.loads(done.stdout)
    assert done.returncode == 0 and document["same_loss"] and document["a"]["steps"] == 3, done
    done = run("compare", "--", program, "return", "3", "--", program, "kill", "4")
    assert done.returncode == 1 and "SIGKILL" in done.stderr, done
    # Nothing is left behind.
    scratch = os.path.join(folder, "tmp")
    os.mkdir(scratch)
    done = subprocess.run([tapescope, "explain", "--", program], capture_output=True, check=False, env={**environment, "TMPDIR": scratch})
    assert done.returncode == 0 and os.listdir(scratch) == [], (done, os.listdir(scratch))


def check_faults(folder):
    text = os.path.join(folder, "notes.txt")
    with open(text, "w", encoding="utf-8") as file:
        file.write("no program\n")
    for command in ("record", "explain", "check", "report"):
        fails(3, "there is no program no-such-program-anywhere on the PATH", command, "--", "no-such-program-anywhere", cwd=folder)
        fails(3, "there is no program ./missing; check the path", command, "--", "./missing", cwd=folder)
        fails(3, "cannot be executed", command, "--", text, cwd=folder)
        fails(3, "wrote no recording", command, "--", "true", cwd=folder)
        fails(2, "no program", command, "--", cwd=folder)
    fails(2, "no program to record", "record")
    fails(2, "give it a file", "record", "-o", "-", "--", program)
    fails(2, "nothing to look at", "explain")
    fails(2, "give one of them", "explain", "derivative", "--", program)
    fails(2, "options of samples", "check", "--seed", "3", "--", program)
    fails(2, "compare takes two", "compare", "--", program, "return")
    # A program that fails by itself has its own exit code.
    done = run("record", "--", "sh", "-c", "exit 7", cwd=folder)
    assert done.returncode == 7 and "wrote no recording" in done.stderr, done


def check_signals(folder):
    # One that was sent to us is passed on; the recording is whole and named.
    for number in (signal.SIGTERM, signal.SIGINT):
        path = os.path.join(folder, f"{number}.tape")
        child = subprocess.Popen([tapescope, "record", "-o", path, "--", program, "return", "1000000000"], env=environment)
        deadline = time.time() + 30
        while time.time() < deadline and not (os.path.exists(path) and os.path.getsize(path) > 10_000):
            time.sleep(0.01)
        child.send_signal(number)
        assert child.wait(30) == 128 + number, child.returncode
        assert ending_of(path)["signal"] == number.name, ending_of(path)


with tempfile.TemporaryDirectory() as root:
    for check in (check_record, check_answers, check_faults, check_signals):
        folder = os.path.join(root, check.__name__)
        os.mkdir(folder)
        check(folder)
