"""What fails around a program that is recorded, or around the application, ends in a sentence:
faults_test.py FAULTS TAPESCOPE PROGRAM FUSED EVERY_KIND.

FAULTS is preloaded and makes the n-th call of a kind fail, for each n in turn until there are no more such calls. The recorded program
ends as it does alone, with the same output, whatever fails in the recording's own thread. Commands end with their exit codes. FUSED is a
program whose compiled function notes its loops, EVERY_KIND a recording with a record of each kind."""
import itertools
import os
import socket
import subprocess
import sys
import tempfile
import time

faults, tapescope, program, fused, every_kind = sys.argv[1:]
# Calls of memory that fail in a command: each of the first ones, then fewer; a command makes tens of thousands.
SOME = (*range(1, 12), *(int(20 * 1.7 ** power) for power in range(14)))


def run(words, folder, call, number, threads="all", **more):
    """What became of it, or None where there is no such call."""
    hit = os.path.join(folder, "hit")
    if os.path.exists(hit):
        os.remove(hit)
    environment = {**os.environ, **more, "LD_PRELOAD": faults, "FAULT": f"{call}:{number}", "FAULT_THREADS": threads, "FAULT_HIT": hit}
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=60, check=False, env=environment)
    return done if os.path.exists(hit) else None


def each(words, folder, call, **more):
    for number in itertools.count(1):
        done = run(words, folder, call, number, **more)
        if done is None:
            return
        yield number, done


def recorded(folder, words, calls):
    plain = subprocess.run(words, capture_output=True, text=True, check=True)
    path = os.path.join(folder, "a.tape")
    tried = 0
    for call, threads in calls:
        said = set()
        for number, done in each(words, folder, call, threads=threads, TAPESCOPE_RECORD=path):
            what = (call, number, done.returncode, done.stderr[-300:])
            # The program's own write is the last of all: what it prints is lost then.
            own = call == "write" and threads == "all" and done.stdout != plain.stdout and "cannot" not in done.stderr
            assert done.returncode == 0 and (done.stdout == plain.stdout or own), what
            assert done.stderr.count("\n") <= 1, what
            said.add(done.stderr.partition("(")[0])
            tried += 1
            if os.path.exists(path):
                read = subprocess.run([tapescope, "explain", path], capture_output=True, text=True, timeout=60, check=False)
                assert read.returncode in (0, 3) and read.stderr.count("\n") <= 1, (what, read)
        # Some of them matter.
        assert call in ("mmap",) or any("tapescope: cannot" in one for one in said), (call, said)
    return tried


def listening(folder):
    """A program that listens for viewers runs as it does alone, whatever its server is refused."""
    plain = subprocess.run([program], capture_output=True, text=True, check=True)
    tried = 0
    for call, threads in (("socket", "all"), ("open", "all"), ("read", "others"), ("write", "others"), ("mmap", "others"), ("malloc", "others")):
        for number, done in each([program], folder, call, threads=threads, TAPESCOPE_LISTEN="1", XDG_RUNTIME_DIR=folder):
            what = (call, number, done.returncode, done.stderr[-300:])
            assert done.returncode == 0 and done.stdout == plain.stdout and done.stderr.count("\n") <= 1, what
            tried += 1
    return tried


def loops(folder):
    """The notes of fused loops, which the recorder writes, harm no program; nor does it where the thread that compiles has no memory."""
    tried = recorded(folder, [fused], [("write", "others"), ("truncate", "all")]) + recorded(folder, [fused, "plain"], [("malloc", "others")])
    plain = subprocess.run([fused], capture_output=True, text=True, check=True)
    done = run([fused], folder, "malloc", 1, threads="others")
    assert done is None or (done.returncode, done.stdout, done.stderr) == (0, plain.stdout, ""), done
    return tried + 1


def clocks(folder):
    """Where the time of day leaps, once or for good, the program ends as it does alone and its recording is read."""
    plain = subprocess.run([program], capture_output=True, text=True, check=True)
    path, tried = os.path.join(folder, "c.tape"), 0
    for call in ("clock-back", "clock-on"):
        for later in ("", "+"):
            for number in itertools.count(1):
                done = run([program], folder, call, f"{number}{later}", TAPESCOPE_RECORD=path, TAPESCOPE_LISTEN="1", XDG_RUNTIME_DIR=folder)
                if done is None:
                    break
                assert (done.returncode, done.stdout, done.stderr) == (0, plain.stdout, ""), (call, number, done)
                read = subprocess.run([tapescope, "explain", path], capture_output=True, text=True, timeout=60, check=False)
                assert read.returncode == 0 and not read.stderr, (call, number, read)
                tried += 1
    assert tried > 0
    return tried


def commands(folder):
    path, out = os.path.join(folder, "b.tape"), os.path.join(folder, "out")
    subprocess.run([program], stdout=subprocess.DEVNULL, check=True, env={**os.environ, "TAPESCOPE_RECORD": path})
    tried = 0
    for file in (path, every_kind):
        for words in (["explain", file], ["check", file], ["doctor", file], ["export", file, "--format", "svg", "-o", out], ["recover", file, "-o", out]):
            for call in ("open", "read", "write", "truncate"):
                for number, done in each([tapescope, *words], folder, call):
                    assert 0 <= done.returncode <= 3, (words, call, number, done.returncode, done.stderr[-300:])
                    assert done.stderr.count("\n") <= 1, (words, call, number, done.stderr[-500:])
                    tried += 1
            for number in SOME:
                done = run([tapescope, *words], folder, "malloc", number, FAULT_FROM="main")
                if done is None:
                    break
                assert done.returncode in (0, 1, 3), (words, "malloc", number, done.returncode, done.stderr[-300:])
                assert done.stderr.count("\n") <= 1, (words, "malloc", number, done.stderr[-500:])
                tried += 1
    return tried


def crowded(folder):
    """A program without a free descriptor does not spin while a viewer waits to be let in."""
    environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "TAPESCOPE_LISTEN": "wait", "LD_PRELOAD": faults, "FAULT": "accept:1+"}
    child = subprocess.Popen([program], env=environment, stdout=subprocess.DEVNULL)
    try:
        deadline, found = time.monotonic() + 20, []
        while not found and time.monotonic() < deadline:
            time.sleep(0.02)
            found = [os.path.join(where, file) for where, _, files in os.walk(folder) for file in files
                     if str(child.pid) in file and not file.endswith(".new")]
        with socket.socket(socket.AF_UNIX) as viewer:
            viewer.connect(found[0])

            def taken():
                """Processor time of the child in a second."""
                clock = ~child.pid << 3 | 2  # CPUCLOCK_SCHED of the process: exact, where /proc counts ticks
                before = time.clock_gettime(clock)
                time.sleep(1)
                return time.clock_gettime(clock) - before

            # It may still be starting.
            seconds = [taken()]
            while seconds[-1] > 0.05 and len(seconds) < 10:
                seconds.append(taken())
            assert seconds[-1] <= 0.05, seconds
    finally:
        child.kill()
        child.wait()


with tempfile.TemporaryDirectory() as folder:
    every = [("open", "all"), ("truncate", "all"), ("write", "all"), ("write", "others"), ("mmap", "others"), ("malloc", "others")]
    print(f"{recorded(folder, [program], every)} faults in programs that are recorded, {loops(folder)} in one with compiled loops, "
          f"{listening(folder)} in ones that listen, {clocks(folder)} leaps of clocks, {commands(folder)} in commands")
    crowded(folder)
