"""What a recording holds and lacks is said, and what can be saved of a damaged one is: damaged_test.py TAPESCOPE PROGRAM."""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

tapescope, program = sys.argv[1:]
DAMAGES = 200 if "TAPESCOPE_LONG" in os.environ else 25


def run(*words):
    return subprocess.run([tapescope, *words], capture_output=True, text=True, timeout=60, check=False)


def doctor(path):
    done = run("doctor", path, "--json", "-")
    assert done.returncode in (0, 1) and done.stderr == "", done
    document = json.loads(done.stdout)
    assert document["whole"] == (done.returncode == 0), document
    return document


def chunks_of(data):
    at, found = 16, []
    while at < len(data):
        found.append((at, data[at + 4]))
        at += 32 + int.from_bytes(data[at + 8:at + 12], "little")
    return found


with tempfile.TemporaryDirectory() as folder:
    path, out = os.path.join(folder, "a.tape"), os.path.join(folder, "out.tape")
    subprocess.run([program, "20000"], stdout=subprocess.DEVNULL, check=True, env={**os.environ, "TAPESCOPE_RECORD": path})
    with open(path, "rb") as file:
        data = file.read()
    chunks = chunks_of(data)
    events = [at for at, kind in chunks if kind == 3]
    assert len(events) > 5, chunks
    healthy = doctor(path)
    assert healthy["whole"] and healthy["lacks"] == [] and healthy["steps"] > 1000 and healthy["ending"] == "the program ran to its end", healthy
    assert healthy["chunks"]["events"]["chunks"] == len(events), healthy
    text = run("doctor", path).stdout
    assert "lacks   nothing" in text and f"{healthy['steps']} steps" in text, text
    # A whole one is recovered to one that says the same.
    assert run("recover", path, "-o", out).returncode == 0 and doctor(out)["whole"]
    said = [json.loads(run("explain", one, "--json", "-").stdout) for one in (path, out)]
    assert said[0] == said[1], said

    # One chunk in the middle is damaged: what stands behind it is saved, and the verdict is that nothing can be said.
    broken = bytearray(data)
    broken[events[len(events) // 2] + 40] ^= 0xff
    hurt = os.path.join(folder, "hurt.tape")
    with open(hurt, "wb") as file:
        file.write(broken)
    sick = doctor(hurt)
    assert not sick["whole"] and len(sick["damaged"]) == 1 and sick["damaged"][0]["at"] == events[len(events) // 2], sick
    assert sick["chunks"]["events"]["chunks"] == len(events) - 1, sick
    read = json.loads(run("report", hurt, "--json", "-").stdout)["steps"]
    os.remove(out)
    done = run("recover", hurt, "-o", out)
    assert done.returncode == 0 and "left out" in done.stdout, done
    saved = json.loads(run("report", out, "--json", "-").stdout)
    assert read < saved["steps"] <= sick["steps"] < healthy["steps"], (read, saved["steps"], sick["steps"])
    explained = json.loads(run("explain", out, "--json", "-").stdout)
    assert explained["ending"]["how"] == "damaged" and "recovered" in explained["ending"]["message"], explained["ending"]
    assert run("check", out).returncode == 1 and "truncated" in [alert["kind"] for alert in explained["alerts"]]
    assert any("recovered" in one for one in doctor(out)["lacks"]), doctor(out)

    # Cut anywhere and changed anywhere: something is said, and what is recovered is whole.
    rng = random.Random(1)
    for _ in range(DAMAGES):
        made = bytearray(data[:rng.randrange(len(data))] if rng.random() < 0.4 else data)
        for _ in range(rng.randrange(4)):
            if len(made) > 100:
                at = rng.randrange(16, len(made) - 50)
                made[at:at + rng.randrange(1, 50)] = rng.randbytes(rng.randrange(1, 60))
        with open(hurt, "wb") as file:
            file.write(made)
        done = run("doctor", hurt, "--json", "-")
        if len(made) < 16:
            assert done.returncode == 3 and "is no recording" in done.stderr, done
            continue
        found = json.loads(done.stdout)
        assert found["whole"] == (made == data), found
        os.path.exists(out) and os.remove(out)
        done = run("recover", hurt, "-o", out)
        assert done.returncode == 0, done
        after = doctor(out)
        assert after["whole"] and (after["steps"], after["events"]) == (found["steps"], found["events"]), (found, after)
        done = run("explain", out)
        assert done.returncode == 0 and "no last chunk" not in done.stderr, done

    # What cannot be done is a sentence.
    other = os.path.join(folder, "notes.txt")
    with open(other, "w", encoding="utf-8") as file:
        file.write("not a recording of anything at all\n")
    slip = os.path.join(folder, "fit.cpp")
    shutil.copy(other, slip)
    for words, said in ((["doctor", other], "is no recording"), (["explain", other], "tapescope record -- PROGRAM"),
                        (["explain", tapescope], f"give it after --, as in 'tapescope explain -- {tapescope}'"), (["explain", slip], "build it"),
                        (["doctor", folder + "/none.tape"], "cannot be read"),
                        (["recover", path, "-o", path], "is the recording itself"), (["recover", path, "-o", "/nonexistent/a"], "cannot record to")):
        done = run(*words)
        assert done.returncode == 3 and said in done.stderr and done.stderr.count("\n") == 1, (words, done)
