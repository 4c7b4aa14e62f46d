"""A program on another machine, behind a line of 10 Mbit/s and 50 ms: narrow_window_test.py TAPESCOPE PROGRAM.

Two network namespaces stand for the machines, a pair of virtual Ethernet devices with netem for the line; where the kernel has no netem, tbf
limits the rate and a relay for ssh delays. Needs root."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from scripted_window import ScriptedWindow, runs
from ssh_machine import Machine, need_ssh, wait

tapescope, program = map(os.path.abspath, sys.argv[1:])
name = os.path.basename(program)
need_ssh()
NEAR, FAR = (f"tapescope-{side}-{os.getpid()}" for side in ("near", "far"))
ADDRESS = {NEAR: "10.83.71.1", FAR: "10.83.71.2"}
DEVICE = {NEAR: "near0", FAR: "far0"}
OTHER_USER = 65534
# Where the program has too little of a processor to fill the first, narrower ones follow.
RATES = ("10mbit", "2mbit", "400kbit")
relay = ""


def ip(*words, check=True):
    return subprocess.run(["ip", *words], check=check, capture_output=True, text=True)


def within(side):
    return ["ip", "netns", "exec", side]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("tc"):
    skip("network namespaces need root, and iproute2")
if ip("netns", "add", NEAR, check=False).returncode != 0:
    skip("network namespaces cannot be made here")


def make_line():
    ip("netns", "add", FAR)
    ip("link", "add", "near0", "netns", NEAR, "type", "veth", "peer", "name", "far0", "netns", FAR)
    for side, device in DEVICE.items():
        ip("-n", side, "addr", "add", f"{ADDRESS[side]}/24", "dev", device)
        ip("-n", side, "link", "set", device, "up")
        ip("-n", side, "link", "set", "lo", "up")
    global relay
    if set_rate(RATES[0]):
        return
    relay = f"ProxyCommand {sys.executable} {os.path.dirname(os.path.abspath(__file__))}/delayed.py %h %p 0.025\n"
    if not set_rate(RATES[0]):
        skip("this kernel has neither netem nor tbf")


def set_rate(rate):
    discipline = ["tbf", "rate", rate, "burst", "32k", "latency", "400ms"] if relay else ["netem", "rate", rate, "delay", "25ms"]
    return all(shape(side, *discipline) for side in (NEAR, FAR))


def shape(side, *discipline):
    done = subprocess.run([*within(side), "tc", "qdisc", "replace", "dev", DEVICE[side], "root", *discipline], capture_output=True)
    return done.returncode == 0


def link(state):
    ip("-n", FAR, "link", "set", "far0", state)


machine = far = None
with tempfile.TemporaryDirectory(prefix="ssh") as folder:
    try:
        make_line()
        machine = Machine(folder, ADDRESS[FAR], within(FAR), within(NEAR), relay)
        scripted = ScriptedWindow(tapescope, f"{folder}/here", before=within(NEAR))
        scripted.environment["TAPESCOPE_SSH"] = f"ssh -F {folder}/ssh_config"
        far = subprocess.Popen([*within(FAR), program, "1000000000"], stdout=subprocess.DEVNULL,
                               env={**os.environ, "XDG_RUNTIME_DIR": f"{folder}/there", "TAPESCOPE_LISTEN": "1"})

        def listed():
            done = subprocess.run([*within(NEAR), tapescope, "list", "--live", "ssh://far", "--json", "-"], capture_output=True, text=True, env=scripted.environment, timeout=60)
            assert done.returncode == 0, done
            return json.loads(done.stdout)["programs"]

        wait(lambda: [entry["name"] for entry in listed()] == [name])
        address = f"ssh://far/{name}"
        attach = ("--attach", address)

        # The program makes many times what the line carries. The window follows it, and says what it lacks; a stop comes through.
        for rate in RATES:
            set_rate(rate)
            scripted.play("wait step 10 60", "wait seconds 12", f"state {folder}/here/early.json", "wait seconds 3", f"state {folder}/here/later.json",
                          "break backward", "wait paused 60", f"state {folder}/here/stop.json", "step-forward 2", "wait paused 60", f"state {folder}/here/step.json",
                          "detach", "quit", arguments=attach)
            early, later, stop, step = (scripted.state(f"{each}.json") for each in ("early", "later", "stop", "step"))
            if early["thinned"]["steps"] > 0:
                break
        for state in (early, later):
            assert state["mode"] == "running" and state["thinned"]["steps"] > 0 and state["thinned"]["every"] > 1, state["thinned"]
        assert later["step"] > early["step"] and later["thinned"]["steps"] > early["thinned"]["steps"], (early["step"], later["step"])
        seconds = 3
        print(f"{rate}, {'a relay' if relay else 'netem'}: {later['thinned']['steps'] - early['thinned']['steps']} thinned steps came; thinned to one step in {later['thinned']['every']}; {(later['step'] - early['step']) / seconds:.0f} steps/s seen, "
              f"{later['dropped_events'] - later['thinned']['events'] - early['dropped_events'] + early['thinned']['events']} records lost beside in {seconds} s")
        assert stop["frame"]["breakpoint"] == "a backward pass begins" and step["cursor"] == stop["cursor"] + 2, (stop["frame"], step["cursor"])
        # The step it stands in came whole, with values.
        assert step["cursor_count"] > step["cursor"] and step["frame"]["cotangents_out"] and any(value["kept"] for value in step["values"]), step["values"]
        assert runs(far)
        set_rate(RATES[0])

        # The line is cut while the program stands: what came stays, and one key attaches again.
        window = scripted.start("wait step 10", "pause", "wait paused", f"state {folder}/here/stands.json", "wait idle 90", f"state {folder}/here/cut.json", "wait seconds 8",
                                "key Ctrl+Shift+A", "wait step 1 60", f"state {folder}/here/again.json", "quit", arguments=attach)
        wait(lambda: os.path.exists(f"{folder}/here/stands.json"))
        link("down")
        wait(lambda: os.path.exists(f"{folder}/here/cut.json"), 120)
        link("up")
        said = window.communicate(timeout=120)
        assert window.returncode == 0, said
        cut, again = (scripted.state(f"{each}.json") for each in ("cut", "again"))
        assert cut["mode"] == "finished" and cut["gradients"] and "The connection to" in cut["error"] and "is lost" in cut["error"], cut["error"]
        assert again["mode"] == "running" and again["sample"] == name, str(again)[:2000]
        assert runs(far)

        # Another user of that machine neither sees the program nor gets through to it, even where its folder is open to all.
        as_other = ["setpriv", f"--reuid={OTHER_USER}", "--clear-groups"]
        path = f"{folder}/there/tapescope/{listed()[0]['pid']}.sock"
        knock = f"import socket; s = socket.socket(socket.AF_UNIX); s.connect({path!r}); print(s.recv(4096))"
        def other():
            return subprocess.run([*as_other, "/usr/bin/env", "python3", "-c", knock], capture_output=True, text=True, timeout=60)
        assert "PermissionError" in other().stderr, other()
        for open_to_all in (folder, f"{folder}/there", f"{folder}/there/tapescope"):
            os.chmod(open_to_all, 0o755)
        os.chmod(path, 0o666)
        assert f"you are {OTHER_USER}" in other().stdout, other()
        assert runs(far)
    finally:
        if far:
            far.kill()
            far.wait()
        if machine:
            machine.end()
        for side in (NEAR, FAR):
            ip("netns", "del", side, check=False)
