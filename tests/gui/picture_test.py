"""What the window draws, against small pictures that were looked at: picture_test.py BINARY. Run by xvfb.sh.

Each scene's screenshot is shrunk to cells of some pixels and compared with tests/gui/pictures/NAME.png. Figures, times and
the shapes of letters may differ; a panel that is missing, a wrong theme or a graph that is gone may not.
TAPESCOPE_APPROVE=1 accepts what is seen.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import png  # noqa: E402

BINARY = sys.argv[1]
CELLS = (150, 94)  # of 8 by 8 pixels in 1200 by 752
APART = 28         # of 255: a cell that differs by more has something else in it
MOST = 0.05        # share of cells that may: figures and curves of a run

PAUSED = ["steps 3", "break backward", "run", "wait paused 30", "step-forward 2", "wait paused 30"]
SCENES = {
    "paused-dark": (["--sample", "variable-tracking"], ["theme dark", *PAUSED]),
    "paused-light": (["--sample", "variable-tracking"], ["theme light", *PAUSED]),
    "paused-contrast": (["--sample", "variable-tracking"], ["theme contrast", *PAUSED]),
    "compare-dark": (["--sample", "variable-tracking", "--compare", "unoptimized,optimized"],
                     ["theme dark", "steps 3", "run", "wait idle 30", "panel loss"]),
    "first-screen": ([], ["theme dark"]),
}


def shoot(arguments, commands, folder):
    shot, script = pathlib.Path(folder) / "shot.png", pathlib.Path(folder) / "script"
    script.write_text("\n".join([*commands, "wait seconds 0.3", f"shot {shot}", "quit"]) + "\n")
    environment = dict(os.environ, XDG_CONFIG_HOME=str(folder), XDG_CACHE_HOME=str(folder), XDG_RUNTIME_DIR=str(folder))
    run = subprocess.run([BINARY, "gui", "--size", "1200x752", *arguments, "--script", str(script)], env=environment,
                         stderr=subprocess.PIPE, text=True, timeout=120)
    if run.returncode != 0:
        raise AssertionError(f"the window ended with {run.returncode}: {run.stderr}")
    return png.read(shot)


def share_apart(seen, known):
    apart = 0
    for a, b in zip(seen.rows, known.rows):
        for x in range(0, len(a), 3):
            apart += max(abs(a[x + channel] - b[x + channel]) for channel in range(3)) > APART
    return apart / (seen.width * seen.height)


def main():
    failed = []
    pictures = HERE / "pictures"
    pictures.mkdir(exist_ok=True)
    seen = {}
    for name, (arguments, commands) in SCENES.items():
        with tempfile.TemporaryDirectory() as folder:
            seen[name] = shoot(arguments, commands, folder).shrunk(*CELLS)
        known = pictures / f"{name}.png"
        if os.environ.get("TAPESCOPE_APPROVE") == "1":
            png.write(known, seen[name])
            continue
        share = share_apart(seen[name], png.read(known))
        print(f"{name}: {share:.1%} of the cells differ")
        if share > MOST:
            png.write(pictures / f"{name}.received", seen[name])
            failed.append(name)
    # The comparison must see a difference where there is one.
    if share_apart(seen["paused-dark"], seen["paused-light"]) <= MOST or share_apart(seen["paused-dark"], seen["first-screen"]) <= MOST:
        failed.append("unlike scenes look alike")
    if failed:
        sys.exit(f"differs: {', '.join(failed)}; look at tests/gui/pictures, accept with TAPESCOPE_APPROVE=1")


main()
