"""Fails on an include that runs against the order of the rooms: includes.py ROOT | --self-test."""
import posixpath
import re
import sys

import tree

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)

# What each room may include besides itself. Entries are folders, or beginnings of file names.
BASE = ["engine/events/", "engine/core/"]
KERNELS = BASE + ["engine/kernels/"]
OPS = KERNELS + ["engine/ops/"]
TAPE = OPS + ["engine/tape/", "engine/explain/"]
GRAPH = TAPE + ["engine/graph/"]
NN = GRAPH + ["engine/nn/"]
ROOMS = {
    "engine/core/": BASE,
    "engine/events/": BASE,
    "engine/kernels/": KERNELS,
    "engine/ops/": OPS,
    "engine/tape/": TAPE,
    "engine/graph/": GRAPH,
    "engine/nn/": NN,
    # Records hold ids of names, sites and types: their tables are all of core that an explanation knows.
    "engine/explain/": ["engine/events/", "engine/explain/", "engine/core/names", "engine/core/type",
                        "engine/core/dtype"],
    "engine/record/": BASE + ["engine/explain/", "engine/record/"],
    "engine/live/": BASE + ["engine/explain/", "engine/record/", "engine/live/"],
    "engine/": ["engine/"],  # headers for users, outside every room
    "samples/": ["engine/", "samples/"],
    "viewer/store/": ["engine/", "viewer/store/"],
    "viewer/model/": ["engine/", "viewer/store/", "viewer/model/"],
    "viewer/": ["engine/", "samples/", "viewer/"],
    "tests/engine/": ["engine/", "samples/", "tests/"],
    "tests/samples/": ["engine/", "samples/", "tests/"],
    "tests/": ["engine/", "samples/", "viewer/", "tests/"],
}
OURS = ("engine/", "samples/", "viewer/", "tests/")
# Where Dear ImGui may be seen; tests of the store and the model are free of it as these are.
IMGUI = ("viewer/panels/", "viewer/app/", "tests/gui/", "tests/support/", "tests/viewer/")
NOT_IMGUI = ("tests/viewer/store/", "tests/viewer/model/")
EIGEN = ("engine/kernels/",)


def check(root):
    names = [name for name in tree.files(root) if name.startswith(OURS) and name.endswith((".h", ".cpp", ".inl"))]
    known = set(names)
    complaints = []
    for name in names:
        room = max((room for room in ROOMS if name.startswith(room)), key=len)
        for include in INCLUDE.findall(tree.text(root, name) or ""):
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(name), include))
            target = beside if beside in known else posixpath.normpath(include)
            if target.startswith(OURS) and not target.startswith(tuple(ROOMS[room])):
                complaints.append(f"{name}: includes {target}, but {room} may only use {', '.join(ROOMS[room])}")
            elif re.match(r"imgui", posixpath.basename(include)) and target not in known and (
                    not name.startswith(IMGUI) or name.startswith(NOT_IMGUI)):
                complaints.append(f"{name}: includes {include}; Dear ImGui belongs in viewer/panels and viewer/app")
            elif re.match(r"(eigen3/|unsupported/)?Eigen/", include) and not name.startswith(EIGEN):
                complaints.append(f"{name}: includes {include}; Eigen belongs in engine/kernels")
    return complaints


def inc(target):
    return f'#include "{target}"\n'


PASSING = {
    "engine/core/tensor.h": inc("engine/core/names.h") + inc("engine/events/record.h"),
    "engine/core/names.h": "", "engine/events/record.h": inc("engine/core/tensor.h"),
    "engine/kernels/gemm.cpp": "#include <Eigen/Dense>\n" + inc("engine/core/tensor.h"),
    "engine/explain/none.h": inc("engine/events/record.h") + inc("engine/core/names.h"),
    "engine/tape/tape.h": inc("engine/ops/op.h") + inc("engine/explain/none.h"), "engine/ops/op.h": "",
    "engine/nn/layer.h": inc("../graph/function.h"), "engine/graph/function.h": inc("engine/tape/tape.h"),
    "engine/live/server.cpp": inc("engine/record/writer.h"), "engine/record/writer.h": inc("engine/events/record.h"),
    "engine/tapescope.h": inc("engine/nn/layer.h"), "samples/watch.cpp": inc("engine/tapescope.h"),
    "viewer/store/store.h": inc("engine/events/record.h"), "viewer/model/layout.h": inc("viewer/store/store.h"),
    "viewer/panels/ops.cpp": "#include <imgui.h>\n" + inc("viewer/model/layout.h"),
    "viewer/app/main.cpp": '#include "imgui_impl_glfw.h"\n' + inc("samples/registry.h"),
    "tests/viewer/store/store.cpp": inc("viewer/store/store.h"),
    "README.md": '#include "viewer/model/layout.h"\n',
}
FAILING = [
    ("engine/core/shape.cpp", inc("engine/ops/op.h"), "engine/core/ may only use"),
    ("engine/core/shape.cpp", "  #  include <engine/kernels/gemm.h>\n", "engine/core/ may only use"),
    ("engine/kernels/conv.cpp", inc("engine/ops/op.h"), "engine/kernels/ may only use"),
    ("engine/ops/relu.cpp", inc("../tape/tape.h"), "includes engine/tape/tape.h"),
    ("engine/tape/cursor.cpp", inc("engine/graph/function.h"), "engine/tape/ may only use"),
    ("engine/graph/pass.cpp", inc("engine/nn/layer.h"), "engine/graph/ may only use"),
    ("engine/nn/adam.cpp", inc("engine/record/writer.h"), "engine/nn/ may only use"),
    ("engine/nn/loss.cpp", inc("engine/tapescope.h"), "engine/nn/ may only use"),
    ("engine/events/gate.cpp", inc("engine/tape/tape.h"), "engine/events/ may only use"),
    ("engine/explain/zero.cpp", inc("engine/core/tensor.h"), "engine/explain/ may only use"),
    ("engine/record/reader.cpp", inc("engine/tape/tape.h"), "engine/record/ may only use"),
    ("engine/record/recorder.cpp", inc("engine/live/listen.h"), "engine/record/ may only use"),
    ("engine/live/server.cpp", inc("engine/tape/tape.h"), "engine/live/ may only use"),
    ("engine/nn/mlp.cpp", inc("samples/registry.h"), "engine/nn/ may only use"),
    ("engine/watch.cpp", inc("viewer/store/store.h"), "engine/ may only use"),
    ("samples/mnist.cpp", inc("viewer/store/store.h"), "samples/ may only use"),
    ("tests/engine/tape/tape.cpp", inc("viewer/store/store.h"), "tests/engine/ may only use"),
    ("viewer/store/table.cpp", inc("viewer/model/layout.h"), "viewer/store/ may only use"),
    ("viewer/model/advice.cpp", inc("viewer/panels/ops.h"), "viewer/model/ may only use"),
    ("viewer/app/run.cpp", inc("tests/support/catch.h"), "viewer/ may only use"),
    ("viewer/store/table.h", "#include <imgui.h>\n", "Dear ImGui"),
    ("viewer/model/draw.h", "#include <imgui/imgui_internal.h>\n", "Dear ImGui"),
    ("samples/imgui.cpp", '#include "imgui.h"\n', "Dear ImGui"),
    ("tests/viewer/model/layout.cpp", "#include <imgui.h>\n", "Dear ImGui"),
    ("engine/ops/matmul.cpp", "#include <Eigen/Dense>\n", "Eigen belongs"),
    ("tests/engine/kernels/gemm.cpp", "#include <eigen3/Eigen/Core>\n", "Eigen belongs"),
]

if __name__ == "__main__":
    sys.exit(tree.main(check, PASSING, FAILING))
