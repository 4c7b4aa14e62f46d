"""Builds the manual: build.py TAPESCOPE OUT [--no-pdf]. HTML of each page into OUT, OUT/tapescope.pdf of all of them.

Needs python3-markdown, python3-pygments and, for the PDF, weasyprint. Ends with 1 where a link leads nowhere.
"""
import html
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys

import markdown
from pygments.formatters import HtmlFormatter

import pages

HERE = pathlib.Path(__file__).resolve().parent


LINE = re.compile(r'<span id="line-\d+">')
# What paper keeps together: a paragraph with the block that it announces, a picture with what is said of it, a table of few rows.
LEADS = re.compile(r'<p>(?=(?:(?!</p>).)*</p>\s*(?:<div class="codehilite">|<ul>|<ol>|<table>|<p>(?:<a [^>]*>)?<img ))', re.S)
PICTURE = re.compile(r"<p>(?=(?:<a [^>]*>)?<img )")
TABLE = re.compile(r"<table>(?=((?:(?!</table>).)*)</table>)", re.S)
KEPT_ROWS = 9
# Code of so many lines may be parted: kept whole it leaves half of a page empty.
CODE_BLOCK = re.compile(r"<pre>(?=((?:(?!</pre>).)*)</pre>)", re.S)
KEPT_LINES = 40


def converted(text):
    # Each line of code is a separate element, so that the style sheets can say where what does not fit goes on.
    maker = markdown.Markdown(extensions=["tables", "fenced_code", "codehilite", "toc", "sane_lists"],
                              extension_configs={"codehilite": {"guess_lang": False, "linespans": "line"}, "toc": {"slugify": lambda value, _: pages.anchor(value)}})
    # The kinds that Pygments has under another name.
    text = text.replace("```tapescope\n", "```text\n").replace("```sh\n", "```bash\n")
    made = LINE.sub('<span class="line">', maker.convert(text))
    made = PICTURE.sub('<p class="picture">', LEADS.sub('<p class="leads">', made))
    made = CODE_BLOCK.sub(lambda found: '<pre class="long">' if found[1].count('class="line"') > KEPT_LINES else found[0], made)
    return TABLE.sub(lambda found: '<table class="short">' if found[1].count("<tr>") <= KEPT_ROWS else found[0], made)


def with_links(text, page, whole):
    """Links between pages for HTML, or within one document (`whole`). Those to other files of the repository name the file."""
    def link(match):
        picture, words, target = match.groups()
        if pages.is_elsewhere(target):
            return match[0]
        path, name = pages.resolve(page, target)
        if path.startswith("docs/") and path.endswith(".md") and not picture:
            inside = path[len("docs/"):]
            if whole:
                return f"[{words}](#{identity(inside, name)})"
            there = posixpath.relpath(html_name(inside), posixpath.dirname(page) or ".")
            return f"[{words}]({there}{'#' + name if name else ''})"
        if picture:
            if whole:
                return f"![{words}]({posixpath.relpath(path, 'docs')})"
            there = posixpath.relpath(picture_name(path), posixpath.dirname(page) or ".")
            return f"[![{words}]({there})]({there})"
        return f"{words} (`{path}`)" if words.strip("`") != path else words
    parts = pages.FENCE.split(text)
    fences = pages.FENCE.findall(text)
    return "".join(pages.LINK.sub(link, part) + fence for part, fence in zip(parts, [*fences, ""]))


def picture_name(path):
    return "pictures/" + path.removeprefix("docs/").replace("/", "-")


def html_name(page):
    return "index.html" if page == "README.md" else page[:-len(".md")].replace("README", "index") + ".html"


def identity(page, name):
    return page[:-len(".md")].replace("/", "-") + ("-" + name if name else "")


def navigation(current, parts, titles):
    there = posixpath.dirname(current) or "."
    made = [f'<a class="home" href="{posixpath.relpath("index.html", there)}">Tapescope</a>']
    for part, names in parts:
        made.append(f"<h2>{html.escape(part)}</h2><ul>")
        for name in names:
            here = ' class="here"' if name == current else ""
            made.append(f'<li><a{here} href="{posixpath.relpath(html_name(name), there)}">{html.escape(titles[name])}</a></li>')
        made.append("</ul>")
    return "".join(made)


def neighbours(current, order, titles):
    place, there = order.index(current), posixpath.dirname(current) or "."
    made = []
    for step, sign in ((-1, "← {}"), (1, "{} →")):
        if 0 <= place + step < len(order):
            name = order[place + step]
            made.append(f'<a href="{posixpath.relpath(html_name(name), there)}">{sign.format(html.escape(titles[name]))}</a>')
        else:
            made.append("<span></span>")
    return f'<nav class="neighbours">{"".join(made)}</nav>'


def build_html(texts, parts, out):
    titles = {page: pages.title(text) for page, text in texts.items()}
    order = list(texts)
    style = (HERE / "manual.css").read_text(encoding="utf-8")
    light = HtmlFormatter(style="friendly").get_style_defs(".codehilite")
    dark = HtmlFormatter(style="native").get_style_defs(".codehilite")
    (out / "manual.css").write_text(f"{style}\n{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n.codehilite {{ background: none; }}\n}}\n"
                                    ".codehilite { background: none; }\n.codehilite .go { color: inherit; }\n.codehilite .nn { color: inherit; }\n.codehilite .nn, .codehilite .nc { text-decoration: none; }\n", encoding="utf-8")
    for page, text in texts.items():
        for picture, _, target in pages.LINK.findall(pages.FENCE.sub("", text)):
            if picture and not pages.is_elsewhere(target):
                path, _ = pages.resolve(page, target)
                (out / "pictures").mkdir(exist_ok=True)
                shutil.copyfile(pages.ROOT / path, out / picture_name(path))
        file = out / html_name(page)
        file.parent.mkdir(parents=True, exist_ok=True)
        up = posixpath.relpath("manual.css", posixpath.dirname(page) or ".")
        file.write_text(f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
                        f'<meta name="color-scheme" content="light dark"><title>{html.escape(titles[page])} · Tapescope</title>'
                        f'<link rel="stylesheet" href="{up}"></head><body><nav class="contents">{navigation(page, parts, titles)}</nav>'
                        f"<main>{converted(with_links(text, page, False))}{neighbours(page, order, titles)}</main></body></html>\n", encoding="utf-8")


def build_pdf(texts, parts, version, out):
    import weasyprint  # slow to import, and needed here alone
    toc, body = [], []
    for part, names in parts:
        toc.append(f"<h2>{html.escape(part)}</h2><ul>")
        body.append(f'<h1 class="part">{html.escape(part)}</h1>')
        for name in names:
            made = converted(with_links(texts[name], name, True)).replace(' id="', f' id="{identity(name, "x")[:-1]}')
            toc.append(f'<li><a href="#{identity(name, "")}">{html.escape(pages.title(texts[name]))}</a></li>')
            body.append(f'<section id="{identity(name, "")}">{made}</section>')
        toc.append("</ul>")
    style = (HERE / "manual.css").read_text(encoding="utf-8") + (HERE / "print.css").read_text(encoding="utf-8")
    style += HtmlFormatter(style="friendly").get_style_defs(".codehilite") + ".codehilite { background: none; } .codehilite .go { color: inherit; }"
    document = (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tapescope</title><style>{style}</style></head><body>'
                f'<div class="cover"><p class="name">Tapescope</p><p>A visual debugger and profiler for gradient tapes</p><p>{html.escape(version)}</p></div>'
                f'<nav class="toc"><h1>Contents</h1>{"".join(toc)}</nav>{"".join(body)}</body></html>')
    weasyprint.HTML(string=document, base_url=str(pages.DOCS) + "/").write_pdf(str(out / "tapescope.pdf"))


def main():
    tapescope, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    broken = pages.broken_links(pages.written())
    if broken:
        print("\n".join(broken), file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    parts = pages.contents()
    order = ["README.md", *(page for _, names in parts for page in names)]
    texts = {page: pages.text_of(page, tapescope) for page in order}
    build_html(texts, parts, folder)
    print(f"{folder / 'index.html'}: {len(texts)} pages")
    if "--no-pdf" not in sys.argv:
        said = subprocess.run([tapescope, "--version"], capture_output=True, text=True, check=True).stdout
        build_pdf(texts, parts, said.splitlines()[0], folder)
        print(folder / "tapescope.pdf")
    return 0


if __name__ == "__main__":
    sys.exit(main())
