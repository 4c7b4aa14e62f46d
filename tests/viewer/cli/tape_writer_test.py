"""A recording that Python wrote from the format's description alone is explained: tape_writer_test.py TAPESCOPE."""
import json
import os
import subprocess
import sys
import tempfile

tapescope = sys.argv[1]
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


def tapescope_json(*arguments):
    done = subprocess.run([tapescope, *arguments, "--json", "-"], capture_output=True, text=True, check=True)
    assert done.stderr == "", done.stderr  # nothing of it is lost or damaged
    return json.loads(done.stdout)


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "python.tape")
    subprocess.run([sys.executable, "-B", os.path.join(root, "assets", "tape_writer.py"), path], check=True)

    run = tapescope_json("report", path)
    assert (run["sample"], run["seed"], run["steps"]) == ("from-python", 7, 3), run
    assert run["loss"] == [1, 0.5, 1 / 3], run["loss"]
    assert "MyOwnLoss" in [row["op"] for row in run["ops"]], run["ops"]

    explained = tapescope_json("explain", path)
    rows = {row["source"]: row for row in explained["gradients"]}
    assert rows["w"]["status"] == "value", rows["w"]
    count = rows["count"]
    assert (count["status"], count["reason"]) == ("none", "integer_cast"), count
    assert count["location"].startswith("tape_writer.py:"), count
    assert [item["op"] for item in count["path"]] == ["MyOwnLoss", "Cast", "Cast"], count["path"]

    # Cut short, it says so and shows what is there.
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(data[:-20])
    done = subprocess.run([tapescope, "explain", path], capture_output=True, text=True)
    assert done.returncode == 0 and "is cut off" in done.stderr and "integer_cast" in done.stdout, done
