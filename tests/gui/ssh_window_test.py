"""Programs of another machine through ssh: ssh_window_test.py TAPESCOPE PROGRAM.

A separate server on loopback stands for that machine."""
import getpass
import json
import os
import subprocess
import sys
import tempfile

from scripted_window import ScriptedWindow, runs
from ssh_machine import Machine, free_port, need_ssh, wait

tapescope, program = sys.argv[1:]
name = os.path.basename(program)

need_ssh()

with tempfile.TemporaryDirectory(prefix="ssh") as folder:
    machine = Machine(folder)
    here = {**os.environ, "XDG_RUNTIME_DIR": f"{folder}/here", "TAPESCOPE_SSH": f"ssh -F {folder}/ssh_config"}

    def run(*arguments, environment=here):
        return subprocess.run([tapescope, *arguments], capture_output=True, text=True, timeout=120, env=environment)

    def listed(address="ssh://far"):
        done = run("list", "--live", address, "--json", "-")
        assert done.returncode == 0, done
        return json.loads(done.stdout)["programs"]

    def left_here():
        return os.listdir(f"{folder}/here/tapescope")

    def start():
        return subprocess.Popen([program, "1000000000"], stdout=subprocess.DEVNULL,
                                env={**os.environ, "XDG_RUNTIME_DIR": f"{folder}/there", "TAPESCOPE_LISTEN": "1"})

    children = []
    try:
        assert listed() == [] and left_here() == []
        children += [start(), start()]
        wait(lambda: len(listed()) == 2)
        for entry in listed():
            assert entry["pid"] in [child.pid for child in children] and entry["name"] == name, entry
            assert entry["path"] == f"{folder}/there/tapescope/{entry['pid']}.sock" and entry["attached"] is None, entry
        text = run("list", "--live", f"ssh://{getpass.getuser()}@127.0.0.1:{machine.port}").stdout
        assert all(str(child.pid) in text for child in children) and len(text.splitlines()) == 2, text
        # None of them is on this machine, and nothing of ssh's stays behind.
        assert "no program listens" in run("list", "--live").stdout and left_here() == []

        # One that was killed leaves its socket there, and is passed over.
        children[1].kill()
        children[1].wait()
        assert [entry["pid"] for entry in listed()] == [children[0].pid]

        # What cannot be done is ssh's sentence.
        def refused(address, words, code=3):
            done = run("list", "--live", address)
            assert done.returncode == code and words in done.stderr and done.stderr.count("\n") == 1, (address, done)
            assert left_here() == []

        refused(f"ssh://127.0.0.1:{free_port()}", "Connection refused")
        machine.config("stranger")
        refused("ssh://far", "Permission denied (publickey)")
        machine.config("user", known="known.none")
        refused("ssh://far", "Host key verification failed")
        machine.config("user")
        for address, words in (("ssh://", "names no host"), ("ssh://-oProxyCommand=x", "no host has"), ("ssh://a;b", "no host has"),
                               ("ssh://far:0", "no port"), ("ssh://-l@far", "no user has"), ("ssh://far/x", "names a program"), ("far", "does not begin")):
            refused(address, words, code=2)
        missing = run("list", "--live", "ssh://far", environment={**here, "TAPESCOPE_SSH": "/nonexistent/ssh"})
        assert missing.returncode == 3 and "cannot start /nonexistent/ssh" in missing.stderr, missing

        scripted = ScriptedWindow(tapescope, f"{folder}/here")
        scripted.environment.update(here)
        far = children[0]
        address = f"ssh://far/{name}"
        # Attached to, stopped, stepped and let go.
        scripted.play("wait step 3", "break backward", "wait paused", f"state {folder}/here/one.json", "step-forward", "wait paused",
                      f"state {folder}/here/two.json", "quit", arguments=("--attach", address))
        one, two = scripted.state("one.json"), scripted.state("two.json")
        assert one["frame"]["breakpoint"] == "a backward pass begins" and two["cursor"] == one["cursor"] + 1, (one["frame"], two["cursor"])
        assert two["frame"]["cotangents_out"] and {row["source"] for row in one["gradients"]} >= {"slope", "offset"}, two["frame"]
        assert runs(far) and left_here() == []
        # The line is cut while the program stands: it runs on, what came stays, and one key attaches again.
        window = scripted.start("wait step 3", "pause", "wait paused", f"state {folder}/here/stands.json", "wait idle", f"state {folder}/here/cut.json",
                                "key Ctrl+Shift+A", "wait step 1", f"state {folder}/here/again.json", "quit", arguments=("--attach", address))
        wait(lambda: os.path.exists(f"{folder}/here/stands.json"))
        machine.cut()
        assert window.wait(timeout=120) == 0, window.communicate()
        stands, cut, again = (scripted.state(f"{each}.json") for each in ("stands", "cut", "again"))
        assert cut["mode"] == "finished" and cut["gradients"] and cut["step"] >= stands["step"], (stands["step"], str(cut)[:2000])
        assert "The connection to" in cut["error"] and f"({far.pid}) on far is lost" in cut["error"], cut["error"]
        assert again["mode"] == "running" and again["sample"] == name, str(again)[:2000]
        assert runs(far) and left_here() == []
        for address, words in (("ssh://far/absent", "no program called absent of yours listens on far"),
                               ("ssh://far/1", "no program of process 1 of yours listens on far")):
            assert words in scripted.play("quit", arguments=("--attach", address), code=3), address
        # A program that is killed there ends as one here, without a word of the line.
        window = scripted.start("wait step 1", f"state {folder}/here/alive.json", "wait idle", f"state {folder}/here/killed.json", "quit",
                                arguments=("--attach", f"ssh://far/{far.pid}"))
        wait(lambda: os.path.exists(f"{folder}/here/alive.json"))
        far.kill()
        assert window.wait(timeout=120) == 0, window.communicate()
        assert "was killed or crashed" in scripted.state("killed.json")["error"], scripted.state("killed.json")["error"]
        far.wait()
        assert listed() == []
    finally:
        for child in children:
            child.kill()
            child.wait()
        machine.end()
