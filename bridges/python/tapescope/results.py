"""What a recording says, for programs and notebooks: each answer comes from the application, which reads recordings."""
import html
import json
import os
import re
import subprocess
import sys
import tempfile

from tapescope import application


class Unanswered(RuntimeError):
    """The application is missing, or could not read the recording."""


def _ask(*words):
    binary = application.path()
    if binary is None:
        raise Unanswered("the application tapescope was not found; put it on PATH or name it in $TAPESCOPE")
    done = subprocess.run([binary, *words], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise Unanswered(done.stderr.strip() or f"tapescope {words[0]} ended with {done.returncode}")
    return done.stdout


class Text(str):
    """Text that a notebook shows as it is, without quotes."""

    def _repr_pretty_(self, printer, cycle):
        printer.text("…" if cycle else str(self))


class Ops(list):
    """Rows of the table of ops: dicts with op, count, forward_us, backward_us, flops and bytes, the costliest first."""

    _COLUMNS = ("op", "count", "forward_us", "backward_us", "flops", "bytes")

    def __repr__(self):
        rows = [self._COLUMNS] + [tuple(_cell(row.get(column)) for column in self._COLUMNS) for row in self]
        widths = [max(len(row[place]) for row in rows) for place in range(len(self._COLUMNS))]
        return "\n".join("  ".join(cell.ljust(width) if place == 0 else cell.rjust(width)
                                   for place, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows)

    def _repr_html_(self):
        head = "".join(f"<th>{column}</th>" for column in self._COLUMNS)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(_cell(row.get(column)))}</td>" for column in self._COLUMNS) + "</tr>" for row in self)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value):
    if value is None:
        return ""
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def explain(path):
    """Why each gradient is None, zero or not finite, retraces and advice, as text."""
    return Text(_in_cells(_ask("explain", path).rstrip("\n")))


def document(path):
    """The same as a dict, of the form that `tapescope explain --json` has."""
    return json.loads(_ask("explain", path, "--json", "-"))


def answer(found, target, source, target_id=0, source_id=0):
    """Of a document the row of a source, as text, with the way from the target to where it breaks. Ids are those of the tensors, 0 where only their
    names are known."""
    rows = [row for row in found["gradients"] if source_id and row.get("source_id") == source_id]
    rows = rows or [row for row in found["gradients"] if row["source"] == source]
    if not rows:
        asked = ", ".join(row["source"] for row in found["gradients"]) or "none"
        raise LookupError(f"no gradient with respect to '{source}' was asked for in the recording; sources are {asked}")
    rows = [row for row in rows if target_id and row.get("target_id") == target_id] or rows
    source = rows[-1]["source"]
    row = rows[-1]
    what = {"value": "has a value", "none": "is None", "zero": "is zero", "nonfinite": "is not finite"}.get(row["status"], row["status"])
    lines = [f"The gradient of {target or 'the target'} with respect to {source} {what}" + (f" ({row['reason']})." if row.get("reason") else ".")]
    for key, label in (("message", "why"), ("location", "where"), ("fix", "fix")):
        if row.get(key):
            lines.append(f"  {label:6} {row[key]}")
    for place in row.get("path") or ():
        words = dict.fromkeys((place["op"], place["name"]))  # once where an op has no other name
        lines.append(f"  from   {' '.join(words)}  {place['location'] or ''}".rstrip())
    return Text(_in_cells("\n".join(lines)))


def _in_cells(text):
    """Lines of a notebook's cells as the notebook numbers these: the files that they are compiled as have names of digits."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    cells = getattr(getattr(shell, "compile", None), "_filename_map", None) or {}
    for path, number in cells.items():
        file = re.escape(os.path.basename(path))
        text = re.sub(rf"(?<![\w./-]){file}:(\d+)", rf"In [{number}] line \1", text)
    return text


def ops(path):
    return Ops(json.loads(_ask("report", path, "--json", "-")).get("ops", []))


def drawing(path):
    """The graph of the recording's step as SVG."""
    handle, out = tempfile.mkstemp(suffix=".svg")
    os.close(handle)
    try:
        _ask("export", path, "--format", "svg", "-o", out)
        with open(out, encoding="utf-8") as file:
            return file.read()
    finally:
        os.unlink(out)
