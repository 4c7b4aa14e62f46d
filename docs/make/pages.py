"""The manual's pages: order, links, and what is made from the program and the headers."""
import itertools
import json
import pathlib
import posixpath
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
HEADING = re.compile(r"^(#{1,6}) (.+?)$", re.M)
FENCE = re.compile(r"^```.*?^```$", re.S | re.M)
CODE = re.compile(r"`[^`\n]*`")


def anchor(heading):
    """A heading's id, as GitHub makes it."""
    text = LINK.sub(r"\2", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(text):
    found = set()
    for _, heading in HEADING.findall(FENCE.sub("", text)):
        name, number = anchor(heading), 0
        while (name if number == 0 else f"{name}-{number}") in found:
            number += 1
        found.add(name if number == 0 else f"{name}-{number}")
    return found


def title(text):
    return HEADING.search(text)[2].replace("`", "")


def contents():
    """[(part, [page])] in the order of docs/README.md: its "##" headings and the links below them."""
    parts, part = [], None
    for line in (DOCS / "README.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            part = (line[3:], [])
            parts.append(part)
        elif part:
            part[1].extend(target for picture, _, target in LINK.findall(line) if not picture and target.endswith(".md") and not target.startswith(".."))
    return parts


def written():
    """{path below docs/: text} of every page, and of the repository's first pages, which link to them."""
    paths = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    return {posixpath.relpath(path, DOCS): path.read_text(encoding="utf-8") for path in paths}


def resolve(page, target):
    """(path from the root of the repository, anchor) of a link on a page."""
    path, _, name = target.partition("#")
    return posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), path)) if path else f"docs/{page}", name


def is_elsewhere(target):
    return re.match(r"[a-z]+:", target) is not None


def broken_links(texts):
    """Sentences about links that lead nowhere, and pages that the contents do not name."""
    listed = ["README.md", *(page for _, pages in contents() for page in pages)]
    complaints = [f"docs/{page}: not in the contents of docs/README.md" for page in texts if page not in listed and not page.startswith("..")]
    complaints += [f"docs/README.md: {page} is listed twice" for page in set(listed) if listed.count(page) > 1]
    for page, text in texts.items():
        for _, words, target in LINK.findall(CODE.sub("", FENCE.sub("", text))):
            if is_elsewhere(target):
                continue
            path, name = resolve(page, target)
            where = f"docs/{page}: [{words}]({target})"
            if not (ROOT / path).exists():
                complaints.append(f"{where} leads to nothing")
            elif name and name not in anchors((ROOT / path).read_text(encoding="utf-8")):
                complaints.append(f"{where}: {path} has no heading of that name")
    return complaints


COMMON = frozenset("a an and are as at be but by for from has have in into is it its no not of on one or so that the then there they this to was what when where "
                   "which with".split())


def sentences(text):
    """[(sentence, its words without common ones)] of a page: those that say something, not its code, contents and headings."""
    text = re.sub(r"^(?:#|- \[|!\[).*$", "", FENCE.sub("", text), flags=re.M)
    for sentence in re.split(r"(?<=[.:;?])\s+|\||\n\n+|\n(?=- )", LINK.sub(r"\2", text)):
        words = set(re.findall(r"\w+", sentence.lower())) - COMMON
        if len(words) >= 6 and CODE.sub("", sentence).strip(" ,"):
            yield " ".join(sentence.split()), words


def said_twice(texts):
    """Complaints about sentences of the manual that say the same in nearly the same words. Of the first hours a reader follows one, so that these may."""
    said = [(page, sentence, words) for page, text in sorted(texts.items()) if not page.startswith("..") for sentence, words in sentences(text)]
    for (page, sentence, words), (other, again, others) in itertools.combinations(said, 2):
        alike = len(words & others) / len(words | others)
        if alike >= 0.6 and not (page.startswith("first-hour/") and other.startswith("first-hour/")):
            yield f"docs/{page} and docs/{other} say the same:\n  {sentence}\n  {again}"


def help_pages(tapescope):
    """What --help prints, as Markdown: of the program, then of each command."""
    def printed(*words):
        return subprocess.run([tapescope, *words, "--help"], capture_output=True, text=True, check=True).stdout
    whole = printed()
    names = re.findall(r"^  ([a-z]+) ", whole[whole.index("Subcommands:"):], re.M)
    assert len(names) > 5, whole
    return "\n".join(f"## tapescope {name}\n\n```text\n{printed(name)}```\n" for name in names)


def sample_list(tapescope):
    """Each sample with its variants and what it shows, as `tapescope list` says it."""
    listed = json.loads(subprocess.run([tapescope, "list", "--json", "-"], capture_output=True, text=True, check=True).stdout)["samples"]
    return "\n".join(f"- `{sample['name']}` (" + ", ".join(f"`{variant}`" for variant in sample["variants"]) + f"): {sample['promise']}" for sample in listed) + "\n"


# The order in which a reader needs them, from tapes to ops of one's own.
HEADERS = (
    ("Tapes and variables", "tape/tape tape/variable tape/structures tape/custom_gradient tape/recompute_grad tape/forward tape/hessian"),
    ("Answers", "explain/explain"),
    ("Steps, scalars and windows", "program live/listen"),
    ("Tensors", "core/tensor core/type core/dtype core/values core/slices core/error core/pool"),
    ("Ops", "ops/creation ops/elementwise ops/reduce ops/linalg ops/shape ops/slicing ops/index ops/nn"),
    ("Functions", "graph/function graph/flow graph/gradients graph/optimize_options"),
    ("Layers", "nn/layer nn/layers nn/conv_layers nn/norm_layers nn/recurrent nn/activations nn/initializers nn/policy nn/summary"),
    ("Training", "nn/optimizer nn/optimizers nn/losses nn/metrics nn/loss_scale nn/trainer nn/callbacks"),
    ("Data", "data/dataset data/rows data/mnist data/idx data/files"),
    ("Jobs", "parallel/gradient_exchange parallel/collectives parallel/replicas parallel/group"),
    ("Ops of your own", "gate/register gate/op gate/arg"),
)
# What those are made of: a program does not call it.
INNER = frozenset(f"engine/{name}" for name in "core/attrs.h core/half.h core/ids.h core/names.h core/public.h explain/reasons.inl gate/apply.h graph/convert.h "
                  "graph/value.h nn/update_loops.h nn/update_ops.h ops/ops.h tape/nest.h".split())


def public_headers():
    """Headers that engine/tapescope.h leads to, itself left out."""
    found, waiting = set(), ["engine/tapescope.h"]
    while waiting:
        name = waiting.pop()
        for included in re.findall(r'^#include "([^"]+)"', (ROOT / name).read_text(encoding="utf-8"), re.M):
            if included not in found:
                found.add(included)
                waiting.append(included)
    return found


PIECE = re.compile(r'//[^\n]*|"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'|[^"\'/]|/')
# What a function's body stands after, with what a constructor hands to its members.
FUNCTION = re.compile(r"\)(?:\s*(?:const|noexcept|override|final|mutable|&&?|->[^;{}]+))*(?P<members>\s*:(?!:).*)?\s*$", re.S)


def declared(code):
    """Code without the bodies of its functions. A brace that stands after a space begins a block, another one a value, as clang-format writes them."""
    made, head, values, body = [], "", 0, 0
    for piece in PIECE.findall(code):
        if body:
            body += (piece == "{") - (piece == "}")
            continue
        inside = values > 0
        values += (piece == "(" or piece == "{" and (inside or head[-1:].strip() != "")) - (piece == ")" or piece == "}" and inside)
        function = FUNCTION.search(head) if piece == "{" and values == 0 else None
        if function:
            made.append((head[:function.start("members")] if function["members"] else head).rstrip() + ";")
            head, body = "", 1
        elif piece in ("{", "}", ";") and values == 0 and not inside or piece.startswith("//"):
            made.append(head + piece)
            head = ""
        else:
            head += piece
    return "".join(made) + head


def declarations(source):
    """[(comment, code)] of a header's public part: what stands between blank lines, comment first."""
    source = re.sub(r"^(?:#(?:.*\\\n)*.*|namespace .*\{|\}  // namespace.*)\n", "", source, flags=re.M)
    source = re.sub(r"\n+ (?:private|protected):\n.*?^\};", "\n};", source, flags=re.S | re.M)
    chunks = []
    for chunk in re.split(r"\n(?:[ \t]*\n)+(?!  )", source.strip("\n")):
        lines, comment = chunk.strip("\n").split("\n"), []
        while lines and lines[0].startswith("//"):
            comment.append(lines.pop(0)[2:].removeprefix(" ").rstrip())
        lines = [line for line in lines if not re.fullmatch(r"(?:class|struct) \w+;", line)]
        chunks.append((comment, declared("\n".join(lines))))
    return chunks


def paragraphs(comment):
    """A comment as Markdown, in which no character of it is markup but backquotes; what is indented is code."""
    made = []
    for code, lines in itertools.groupby(comment, lambda line: line.startswith("  ") or None if line else False):
        if code:
            made.append("\n".join(["```cpp", *(line[2:] for line in lines), "```"]))
        elif code is None:
            made.append(re.sub(r"(`[^`]*`)|([*_<>\[\]])", lambda found: found[1] or "\\" + found[2], " ".join(lines)))
    return "\n\n".join(made)


def header_pages():
    """The public headers as Markdown: a heading for each, comments as text, declarations as code."""
    made = []
    for part, names in HEADERS:
        made.append(f"## {part}\n")
        for name in names.split():
            made.append(f"### engine/{name}.h\n")
            for comment, code in declarations((ROOT / "engine" / f"{name}.h").read_text(encoding="utf-8")):
                if comment:
                    made.append(paragraphs(comment) + "\n")
                if code.strip():
                    made.append(f"```cpp\n{code}\n```\n")
    return "\n".join(made)


def text_of(page, tapescope):
    """A page's Markdown, with what is made for it in place of its mark."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for mark, make in (("<!-- made: help -->", lambda: help_pages(tapescope)), ("<!-- made: samples -->", lambda: sample_list(tapescope)),
                       ("<!-- made: headers -->", header_pages)):
        if mark in text:
            text = text.replace(mark, make())
    return text
