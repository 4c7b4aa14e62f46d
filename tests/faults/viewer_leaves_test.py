"""What a viewer's end does to the program that stands at its breakpoint: viewer_leaves_test.py FAULTS PROGRAM.

Viewers stop a program at a breakpoint and then are killed, hang up or fall silent, there and in the middle of what they say; or calls of
the program's own thread that serves them fail. The program runs on from where it stands, and ends as it does alone."""
import concurrent.futures
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bridges"))
from viewer import NAME, NONE, OP, RUN, Viewer, breakpoint_bytes, number

faults, program, *rest = sys.argv[1:]
PATIENCE = 120  # seconds, of a busy machine


def message(kind, payload=b""):
    return struct.pack("<I", len(payload)) + bytes([kind]) + payload


REQUEST = message(2, number(RUN) + struct.pack("<q", 0) + breakpoint_bytes(OP))
BREAKPOINTS = message(4, number(2) + breakpoint_bytes(NAME, "slope", identity=1) + breakpoint_bytes(NONE, source="offset", identity=2))


def stopped(pid):
    """A viewer whose program stands at a breakpoint in its first step."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            viewer = Viewer(pid)
            break
        except (FileNotFoundError, ConnectionRefusedError):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    viewer.stopped()  # before the first op
    viewer.breaks((OP, "Square"))
    viewer.run()
    viewer.stopped()
    assert viewer.standing["reason"] == "breakpoint", viewer.standing
    return viewer


def begin(**more):
    return subprocess.Popen([program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "TAPESCOPE_LISTEN": "wait", **more})


def ended(child, what):
    out, said = child.communicate(timeout=PATIENCE)
    assert (child.returncode, out, said) == (0, plain, ""), (what, child.returncode, out, said)


def leaves(way):
    """A program whose viewer does that at the breakpoint."""
    child = begin()
    try:
        viewer = stopped(child.pid)
        way(viewer)
        ended(child, way)
        viewer.close()
    finally:
        child.kill()
        child.communicate()


def says(part):
    """Hangs up behind a part of what it says."""
    def way(viewer):
        viewer.socket.sendall(part)
        viewer.close()
    return way


def lets_go_unread(viewer):
    """Hangs up while the program's answer waits: the program's next look at the socket is an error, not its end."""
    viewer.socket.sendall(message(2, number(1) + struct.pack("<q", 1) + breakpoint_bytes(OP)))
    viewer.socket.settimeout(PATIENCE)
    viewer.socket.recv(1, socket.MSG_PEEK)
    viewer.close()


def no_longer(direction):
    return lambda viewer: viewer.socket.shutdown(direction)


def silent(part):
    """Says a part, then nothing, and reads nothing."""
    return lambda viewer: viewer.socket.sendall(part)


def killed(_):
    """Another process is the viewer, and is killed there."""
    killed_or_stopped(signal.SIGKILL)


def stands_still(_):
    """It is stopped, as a debugger or a terminal does."""
    killed_or_stopped(signal.SIGSTOP)


def killed_or_stopped(sign):
    child = begin()
    other = subprocess.Popen([sys.executable, "-B", __file__, faults, program, str(child.pid)], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "stands\n"
        other.send_signal(sign)
        ended(child, sign)
    finally:
        for each in (other, child):
            each.kill()
            each.communicate()


def no_memory_from(numbers):
    """From the n-th on every call for memory of the thread that serves the viewer fails: how often a viewer stood before that."""
    count = 0
    for one in numbers:
        child = begin(LD_PRELOAD=faults, FAULT=f"malloc:{one}+", FAULT_THREADS="others")
        try:
            try:
                viewer = stopped(child.pid)
            except (AssertionError, OSError):
                # It was hung up on. Where it never was let in the program waits for one that is: that is no end.
                try:
                    ended_alone = child.wait(3) == 0
                except subprocess.TimeoutExpired:
                    ended_alone = True
                assert ended_alone, (one, child.returncode)
                continue
            viewer.close()
            ended(child, ("malloc", one))
            count += 1
        finally:
            child.kill()
            child.communicate()
    return count


def calls_fail(call, numbers):
    """The n-th call of the thread that serves the viewer fails: how often there was one."""
    count = 0
    for one in numbers:
        hit = os.path.join(folder, "hit")
        if os.path.exists(hit):
            os.remove(hit)
        child = begin(LD_PRELOAD=faults, FAULT=f"{call}:{one}", FAULT_THREADS="others", FAULT_HIT=hit)
        try:
            viewer = None
            try:
                viewer = stopped(child.pid)
            except (AssertionError, OSError):  # it was hung up on
                pass
            if viewer:
                viewer.close()
            elif child.poll() is None:
                # It never attached, so the program waits: another lets it go on.
                try:
                    Viewer(child.pid).close()
                except (AssertionError, OSError):
                    pass
            ended(child, (call, one))
        finally:
            child.kill()
            child.communicate()
        if not os.path.exists(hit):
            break
        count += 1
    return count


if rest:
    stopped(int(rest[0]))
    print("stands", flush=True)
    signal.pause()

plain = subprocess.run([program], capture_output=True, text=True, check=True).stdout
with tempfile.TemporaryDirectory() as folder:
    os.environ["XDG_RUNTIME_DIR"] = folder
    # Those that say nothing more are waited for, ten seconds each: all at once.
    quiet = [silent(part) for part in (b"", REQUEST[:3], REQUEST[:20], BREAKPOINTS[:-1])]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(leaves, way) for way in quiet] + [pool.submit(stands_still, None)]
        ways = [says(part[:size]) for part in (REQUEST, BREAKPOINTS) for size in range(0, len(part), 3)]
        ways += [lets_go_unread, no_longer(socket.SHUT_RDWR), no_longer(socket.SHUT_WR), no_longer(socket.SHUT_RD)]
        for way in ways:
            leaves(way)
        killed(None)
        for done in waiting:
            done.result()
    injected = {call: calls_fail(call, numbers) for call, numbers in (("send", range(1, 9)), ("recv", range(1, 9)), ("malloc", range(1, 200, 5)))}
    injected["no memory from"] = no_memory_from(range(40, 400, 24))
    assert all(injected.values()), injected
print(f"{len(ways) + 1} viewers that leave, {len(quiet) + 1} that fall silent, faults: {injected}")
