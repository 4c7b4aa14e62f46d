"""What the checks share: the files of the tree, and trees made up to prove that a check can fail."""
import pathlib
import subprocess
import sys
import tempfile


def files(root):
    """Paths below root that are or could be committed, as strings with forward slashes."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True)
    inside = subprocess.run(["git", "-C", root, "rev-parse", "--show-prefix"], capture_output=True, text=True)
    # A made-up tree or an unpacked archive is no repository: walk it.
    if listed.returncode == 0 and inside.stdout.strip() == "":
        names = [name for name in listed.stdout.decode().split("\0") if name]
    else:
        names = [path.relative_to(root).as_posix() for path in pathlib.Path(root).rglob("*")]
        names = [name for name in names if not name.startswith(("build/", ".git/", ".cache/"))]
    return sorted(name for name in set(names) if (pathlib.Path(root) / name).is_file())


def text(root, name):
    """The file's text, or None if it is binary."""
    data = (pathlib.Path(root) / name).read_bytes()
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def complaints_about(check, tree):
    """Runs a check on a made-up tree, {path: text}."""
    with tempfile.TemporaryDirectory() as root:
        for name, content in tree.items():
            path = pathlib.Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return check(root)


def main(check, passing, failing):
    """Usage: check ROOT | --self-test. passing: {path: text}; failing: [(path, text, part of the complaint)]."""
    if sys.argv[1] != "--self-test":
        complaints = check(sys.argv[1])
        print("\n".join(complaints) or "nothing to complain about")
        return 1 if complaints else 0
    wrong = [f"complained without cause: {c}" for c in complaints_about(check, passing)]
    for name, content, expected in failing:
        found = complaints_about(check, {**passing, name: content})
        if len(found) != 1 or expected not in found[0] or name not in found[0]:
            wrong.append(f"{name} with {content[:60]!r}: expected one complaint with {expected!r}, got {found}")
    print("\n".join(wrong) or f"{len(failing)} faults found, as they should be")
    return 1 if wrong or not failing else 0
