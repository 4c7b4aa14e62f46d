"""Programs that run are named, found and kept apart: live_test.py TAPESCOPE PROGRAM."""
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

tapescope, program = sys.argv[1:]

with tempfile.TemporaryDirectory() as folder:
    environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "TAPESCOPE_LISTEN": "1"}

    def run(*arguments):
        return subprocess.run([tapescope, *arguments], capture_output=True, text=True, timeout=60, env=environment)

    def programs():
        done = run("list", "--live", "--json", "-")
        assert done.returncode == 0, done
        return json.loads(done.stdout), done.stderr

    def wait_for(count):
        deadline = time.time() + 30
        while time.time() < deadline and len(programs()[0]["programs"]) != count:
            time.sleep(0.05)
        return programs()[0]["programs"]

    # What a program says is the same whether it listens or not, and it leaves nothing behind.
    plain = subprocess.run([program], capture_output=True, text=True, check=True)
    heard = subprocess.run([program], capture_output=True, text=True, check=True, env=environment)
    assert (heard.stdout, heard.stderr) == (plain.stdout, ""), heard
    assert programs() == ({"programs": [], "stale": []}, "")
    assert "no program listens" in run("list", "--live").stdout
    others = []
    off = subprocess.Popen([program, "1000000000"], stdout=subprocess.DEVNULL, env={**environment, "TAPESCOPE_LISTEN": "0"})
    first, second = (subprocess.Popen([program, "1000000000"], stdout=subprocess.DEVNULL, env=environment) for _ in range(2))
    try:
        listed = wait_for(2)
        assert {entry["pid"] for entry in listed} == {first.pid, second.pid}, listed
        name = os.path.basename(program)
        for entry in listed:
            assert entry["name"] == name and entry["path"] == os.path.join(folder, "tapescope", f"{entry['pid']}.sock"), entry
            assert abs(entry["since"] - time.time()) < 120 and entry["attached"] is None, entry
        text = run("list", "--live").stdout
        assert str(first.pid) in text and "free" in text and len(text.splitlines()) == 2, text

        # One that was killed leaves its socket; it is reported and removed, once.
        second.send_signal(signal.SIGKILL)
        second.wait()
        answer, said = programs()
        assert [entry["pid"] for entry in answer["programs"]] == [first.pid], answer
        assert [entry["pid"] for entry in answer["stale"]] == [second.pid], answer
        assert said == f"tapescope: process {second.pid} ended without removing its socket, which was done now\n", said
        assert programs()[0]["stale"] == []

        # One that is stopped does not answer, and does not hold the list up for long.
        first.send_signal(signal.SIGSTOP)
        begin = time.time()
        answer, said = programs()
        assert answer["programs"] == [] and "does not answer" in said and time.time() - begin < 5, (answer, said)
        first.send_signal(signal.SIGCONT)

        # One that is recorded can be attached to as well, and is recorded to its end.
        recording = os.path.join(folder, "both.tape")
        both = subprocess.Popen([program, "1000000000"], stdout=subprocess.DEVNULL, env={**environment, "TAPESCOPE_RECORD": recording})
        others.append(both)
        wait_for(2)
        received = b""
        with socket.socket(socket.AF_UNIX) as viewer:
            viewer.settimeout(30)
            viewer.connect(os.path.join(folder, "tapescope", f"{both.pid}.sock"))
            payload = b"TLIV" + bytes([4, 1])  # its version, and some process
            viewer.sendall(struct.pack("<IB", len(payload), 1) + payload)
            while len(received) < 20_000:
                came = viewer.recv(65536)
                assert came, received
                received += came
        assert b"\x89TAPE" in received and b"TSCK" in received, received[:200]
        size = os.path.getsize(recording)
        deadline = time.time() + 30
        while time.time() < deadline and os.path.getsize(recording) == size:
            time.sleep(0.05)
        assert os.path.getsize(recording) > size

        # A folder that others can enter is not used by either side.
        os.chmod(os.path.join(folder, "tapescope"), 0o755)
        done = subprocess.run([program], capture_output=True, text=True, check=True, env=environment)
        assert done.stdout == plain.stdout and "others can enter" in done.stderr and done.stderr.count("\n") == 1, done
        done = run("list", "--live")
        assert done.returncode == 3 and "others can enter" in done.stderr and done.stderr.count("\n") == 1, done
    finally:
        for child in (off, first, second, *others):
            child.kill()
            child.wait()
