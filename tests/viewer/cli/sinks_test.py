"""Recording does not harm the program, wherever the recording goes: sinks_test.py TAPESCOPE PROGRAM."""
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time

tapescope, program = sys.argv[1:]
plain = subprocess.run([program], capture_output=True, text=True, check=True)


def steps_of(path):
    done = subprocess.run([tapescope, "report", path, "--json", "-"], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)["steps"]


def start(path, *words, **options):
    return subprocess.Popen([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "TAPESCOPE_RECORD": path}, **options)


def finish(child, words):
    """It ends as without a recording, within seconds, and says one sentence that holds `words`, or none."""
    said, complaint = child.communicate(timeout=30)
    assert child.returncode == 0 and said.splitlines()[-1].startswith("slope"), (child.returncode, said, complaint)
    assert words in complaint and complaint.count("\n") == (words != ""), complaint


with tempfile.TemporaryDirectory() as folder:
    # A limit on files, as `ulimit -f` sets it: SIGXFSZ would end the program.
    path = os.path.join(folder, "limited.tape")
    child = start(path, "50000", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000)))
    finish(child, "cannot go on recording to")
    assert 0 < steps_of(path) < 50_000 and os.path.getsize(path) <= 1_000_000, os.path.getsize(path)

    # A pipe that nothing reads.
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    begin = time.monotonic()
    finish(start(pipe), "nothing reads this pipe")
    assert time.monotonic() - begin < 10

    # Its reader leaves, at once or later: SIGPIPE would end the program.
    for bytes_read in (1, 100_000):
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        child, received = start(pipe, "200000"), 0
        while received < bytes_read and child.poll() is None:
            try:
                received += len(os.read(reader, 1000))
            except BlockingIOError:
                pass
        os.close(reader)
        finish(child, "cannot go on recording to")

    # It stops reading: the program's end does not wait for it.
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    child = start(pipe, "200000")
    begin = time.monotonic()
    finish(child, "nothing more is taken")
    os.close(reader)

    # It reads to the end: a whole recording.
    received = []
    child_reader = threading.Thread(target=lambda: received.append(open(pipe, "rb").read()))
    child_reader.start()
    time.sleep(0.2)  # it is blocked in open() until the program comes
    finish(start(pipe), "")
    child_reader.join(30)
    whole = os.path.join(folder, "whole.tape")
    with open(whole, "wb") as file:
        file.write(received[0])
    assert steps_of(whole) == 50

    # Two programs of one name: each has its file, the third one as well.
    path = os.path.join(folder, "one.tape")
    first = start(path, "1000000000")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not (os.path.exists(path) and os.path.getsize(path) > 1000):
        time.sleep(0.01)
    second = start(path, "1000000000")
    other = os.path.join(folder, "one-2.tape")
    while time.monotonic() < deadline and not (os.path.exists(other) and os.path.getsize(other) > 1000):
        time.sleep(0.01)
    finish(start(path, "7"), f"another program is recording to {path}; this one is recorded to {folder}/one-3.tape")
    assert steps_of(os.path.join(folder, "one-3.tape")) == 7
    first.terminate(), second.terminate()
    first.communicate(timeout=30), second.communicate(timeout=30)
    assert steps_of(path) > 0 and steps_of(other) > 0
    # The name is free again.
    finish(start(path, "3"), "")
    assert steps_of(path) == 3
