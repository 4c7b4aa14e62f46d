"""The manual's links lead somewhere, every page is in its contents, and what is made for it is made: links_test.py TAPESCOPE."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs" / "make"))
import pages  # noqa: E402
import pictures  # noqa: E402

assert pages.anchor("What `tapescope` does: a, b") == "what-tapescope-does-a-b"
assert pages.anchors("# A b\n## A b\n```\n# no\n```\n") == {"a-b", "a-b-1"}
assert pages.resolve("tasks/a.md", "../b.md#c") == ("docs/b.md", "c") and pages.resolve("a.md", "#c") == ("docs/a.md", "c")
assert pages.declarations("#pragma once\nnamespace a {\n\n// Adds.\nint add(int);\n\nclass B {\n public:\n  int c();\n\n private:\n  int d_;\n};\n}  // namespace a\n") == [
    (["Adds."], "int add(int);"), ([], "class B {\n public:\n  int c();\n};")]
# Of a function what a caller sees is left, of a class its public part.
for code, left in (("int a() const { return b_{}; }", "int a() const;"), ("A(int b) : b_(b), c_{b} { go(\"}\"); }\nint d = f({1});", "A(int b);\nint d = f({1});"),
                   ("struct A {\n  int b = 1;  // one {\n  A(B c = {}) noexcept {}\n};", "struct A {\n  int b = 1;  // one {\n  A(B c = {}) noexcept;\n};"),
                   ("enum class A : int { b, c };", "enum class A : int { b, c };"), ("inline const A kB{};", "inline const A kB{};")):
    assert pages.declared(code) == left, (code, pages.declared(code))
assert pages.paragraphs(["A `b_c` d_e.", "  f();", "", "g"]) == "A `b_c` d\\_e.\n\n```cpp\nf();\n```\n\ng"
listed = [f"engine/{name}.h" for _, names in pages.HEADERS for name in names.split()]
assert len(set(listed)) == len(listed) and set(listed) | pages.INNER == pages.public_headers(), set(listed) ^ (pages.public_headers() - pages.INNER)
# A link that is wrong is found, as is a page that the contents do not name.
texts = pages.written()
for target, words in (("nowhere.md", "leads to nothing"), ("../jobs.md#nothing-like-it", "has no heading")):
    found = pages.broken_links({**texts, "reference/made-up.md": f"# A\n\n[a]({target})\n"})
    assert len(found) == 2 and "not in the contents" in found[0] and words in found[1], found

# So is a sentence that stands on two pages, in other words of little weight.
again = "# A\n\nFrom the left to right stand the variables, forward ops from top down, the backward ops, each on a row of the op it differentiates, and the gradients.\n"
assert len(list(pages.said_twice({"panels/graph.md": texts["panels/graph.md"], "made-up.md": again}))) == 1
twice = list(pages.said_twice(texts))
assert not twice, "\n".join(twice)

broken = pages.broken_links(texts)
assert not broken, "\n".join(broken)
drawn = {f"pictures/{name}.png" for name in [*pictures.PICTURES, *pictures.HOURS, *pictures.JOBS]} | {f"lessons/{name}.png" for name in pictures.LESSONS}
there = {str(path.relative_to(pages.DOCS)) for path in pages.DOCS.rglob("*.png")}
assert drawn == there, f"pictures that the script does not draw or that are missing: {drawn ^ there}"
shown = {path.removeprefix("docs/") for page, text in texts.items() for picture, _, target in pages.LINK.findall(pages.FENCE.sub("", text)) if picture
         for path, _ in [pages.resolve(page, target)]}
assert shown == drawn, f"pictures that no page shows or the script does not draw: {shown ^ drawn}"
for mark, page, words in (("help", "reference/command-line.md", ["## tapescope explain", "--fail-on", "--record-budget"]),
                          ("samples", "samples.md", ["- `nan-hunt` (", "`norm-at-zero`"]),
                          ("headers", "reference/headers.md", ["### engine/tape/tape.h", "class GradientTape", "Tensor matmul("])):
    text = pages.text_of(page, sys.argv[1])
    assert f"<!-- made: {mark} -->" not in text
    for word in words:
        assert word in text, (page, word)
# What the archive needs, and building the wheel, is said as it is tried.
needs = re.findall(r"^(?:archive|wheel)_needs=\((.*)\)$", (pages.ROOT / "cmake/release/packages.sh").read_text(encoding="utf-8"), re.M)
assert len(needs) == 2, needs
missing = [name for name in " ".join(needs).split() if name != "g++" and f"`{name}`" not in texts["reference/install.md"]]
assert not missing, f"docs/reference/install.md does not name {missing}, which packages.sh installs before it tries the archive or builds the wheel"
print(f"{len(texts)} pages, {len(there)} pictures")
