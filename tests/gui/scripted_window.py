"""The window driven by scripts in a separate folder, and the programs that it attaches to."""
import json
import os
import subprocess
import time

PATIENCE = 60  # seconds; software OpenGL on a busy machine is slow


class ScriptedWindow:
    def __init__(self, tapescope, folder, before=()):
        """`before`: the words before the window's command."""
        self.tapescope, self.folder, self.before = tapescope, folder, list(before)
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "XDG_CONFIG_HOME": folder, "LIBGL_ALWAYS_SOFTWARE": "1"}

    def start(self, *lines, arguments=()):
        script = os.path.join(self.folder, "script")
        with open(script, "w") as file:
            file.write("\n".join(lines) + "\n")
        return subprocess.Popen([*self.before, self.tapescope, "gui", "--script", script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=self.environment)

    def play(self, *lines, arguments=(), code=0):
        """What it said, where it ended with that code."""
        window = self.start(*lines, arguments=arguments)
        said = window.communicate(timeout=2 * PATIENCE)
        assert window.returncode == code, (window.returncode, said)
        return said[1]

    def state(self, name):
        with open(os.path.join(self.folder, name)) as file:
            return json.load(file)

    def listed(self):
        """The programs that listen."""
        done = subprocess.run([self.tapescope, "list", "--live", "--json", "-"], capture_output=True, text=True, env=self.environment, check=True)
        return json.loads(done.stdout)["programs"]

    def start_program(self, *command, **settings):
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**self.environment, **settings})


def wait(there):
    deadline = time.time() + PATIENCE
    while time.time() < deadline and not there():
        time.sleep(0.05)
    assert there()


def runs(child):
    """Time of its processor passes: it computes, and does not wait."""
    def ticks():
        with open(f"/proc/{child.pid}/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[11])

    before = ticks()
    wait(lambda: ticks() > before + 2)
    return True
