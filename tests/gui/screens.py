"""Pictures of every panel, to be looked at: screens.py BINARY FOLDER [SAMPLE...]. Run by xvfb.sh with a large screen.

For each sample, theme, scale and window size one window is opened, paused in a backward pass where there is one, and each of its
panels is shown and saved as FOLDER/SAMPLE-THEME-SCALE-SIZE-PANEL.png. `montage` of ImageMagick makes a sheet of them.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

BINARY, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
SAMPLES = sys.argv[3:] or ["none-gradients", "mnist-mlp", "retracing"]
PANELS = ["timeline", "flame", "ops", "functions", "memory", "loss", "compare", "advice", "outline", "breakpoints", "log"]
# (theme, scale, size): every theme at the usual size, both scales, and small windows.
LOOKS = [("dark", 1, "1600x1000"), ("light", 1, "1600x1000"), ("contrast", 1, "1600x1000"), ("dark", 2, "1600x1000"),
         ("light", 1, "800x500"), ("dark", 1, "640x400"), ("dark", 2, "800x500")]


def shoot(sample, theme, scale, size):
    lines = [f"theme {theme}", f"scale {scale}", "steps 20", "break backward hit 3", "break norm-above 1000", "run", "wait seconds 3"]
    # A program without a backward pass has ended by then.
    lines += ["step-forward 3", "wait seconds 0.5"] if sample != "retracing" else []
    for panel in PANELS:
        lines += [f"panel {panel}", "wait seconds 0.3", f"shot {FOLDER}/{sample}-{theme}-{scale}-{size}-{panel}.png"]
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "script"
        script.write_text("\n".join([*lines, "quit"]) + "\n")
        environment = dict(os.environ, XDG_CONFIG_HOME=folder, XDG_CACHE_HOME=folder)
        subprocess.run([BINARY, "gui", "--sample", sample, "--size", size, "--script", str(script)], env=environment, check=True, timeout=300)


FOLDER.mkdir(parents=True, exist_ok=True)
for sample in SAMPLES:
    for theme, scale, size in LOOKS:
        shoot(sample, theme, scale, size)
        print(sample, theme, scale, size, flush=True)
