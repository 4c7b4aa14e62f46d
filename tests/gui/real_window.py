"""The real window, driven as a person does, and what is on the screen: items of its UI map by id."""
import json
import os
import pathlib
import subprocess
import time

PATIENCE = 60  # seconds; software OpenGL on a busy machine is slow


class Window:
    """The application with its UI map, in a separate folder."""

    def __init__(self, binary, folder, *arguments, size="1200x800"):
        self.map_file = pathlib.Path(folder) / "map.json"
        self.map_file.unlink(missing_ok=True)
        # Sockets are in a folder that others cannot enter, which the ones of settings and caches need not be.
        environment = dict(os.environ, XDG_CONFIG_HOME=f"{folder}/config", XDG_CACHE_HOME=f"{folder}/cache", XDG_RUNTIME_DIR=str(folder))
        self.process = subprocess.Popen([binary, "gui", "--size", size, "--ui-map", str(self.map_file), *arguments],
                                        stderr=subprocess.PIPE, text=True, env=environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def map(self):
        while True:
            try:
                return json.loads(self.map_file.read_text())
            except FileNotFoundError:
                if self.process.poll() is not None:
                    raise AssertionError("the window ended: " + self.process.stderr.read())
                time.sleep(0.05)

    def wait(self, what, condition):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            state = self.map()
            if condition(state):
                return state
            time.sleep(0.05)
        state = self.map()
        said = [item["label"] for item in state["items"] if item["id"] in ("words/status", "words/where", "palette/wrong")]
        raise AssertionError(f"waited {PATIENCE} s for {what}; the state is {state['state']}, on the screen stands {said}")

    def wait_mode(self, mode):
        return self.wait(mode, lambda m: m["state"]["mode"] == mode)["state"]

    def item(self, name):
        return next((item for item in self.map()["items"] if item["id"] == name), None)

    def label(self, name):
        item = self.item(name)
        return item and item["label"]

    def wait_label(self, name, condition):
        return self.wait(f"{name}, which says {self.label(name)!r}", lambda _: condition(self.label(name) or ""))

    def point_at(self, name):
        self.wait(name, lambda _: self.item(name) is not None)
        item = self.item(name)
        xdo("mousemove", str(int(item["x"] + item["w"] / 2)), str(int(item["y"] + item["h"] / 2)))
        time.sleep(0.3)

    def click(self, name):
        self.point_at(name)
        xdo("click", "1")

    def focus(self):
        self.map()
        # Without a window manager a new window does not get the focus.
        found = subprocess.run(["xdotool", "search", "--sync", "--class", "tapescope"], check=True, capture_output=True, text=True)
        xdo("windowmove", found.stdout.split()[0], "0", "0")
        xdo("windowfocus", "--sync", found.stdout.split()[0])

    def command(self, line, delay=40):
        """By the palette; Enter follows the last letter at once."""
        self.open_palette("ctrl+shift+p")
        type_text(line, delay, enter=True)
        self.wait("the palette to close", lambda _: not self.item("palette/text"))

    def open_palette(self, key):
        xdo("key", key)
        self.wait("the palette", lambda _: (self.item("palette/text") or {}).get("enabled"))

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


def xdo(*arguments):
    subprocess.run(["xdotool", *arguments], check=True, stdout=subprocess.DEVNULL)


def type_text(text, delay=40, enter=False):
    xdo("type", "--args", "1", "--delay", str(delay), text, *(["key", "Return"] if enter else []))
