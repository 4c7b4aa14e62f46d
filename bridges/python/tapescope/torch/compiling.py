"""torch.compile: what each compilation was made for, why it came again, where a graph broke. While a compiled function runs the modes are off: they
would keep it from being compiled."""
import functools
import inspect
import re
import sys
import time

import torch

from tapescope import _tapescope as module
from tapescope.places import is_user
from tapescope.torch import words
from tapescope.torch.flow import Op, Place, here, is_user_code
from tapescope.torch.releases import listen_for_breaks, listen_for_reasons, reason_of
from tapescope.torch.source import text_of
from tapescope.torch.uncompiled import left_alone, uncompiled
from tapescope.torch.watch import muted, quiet, tensors_in
from tapescope.torch.writer import CallCounts

_MOST_ITEMS = 64  # of a list that is an argument
_AROUND = "_dynamo/external_utils.py"  # whose inner() calls what the compiler has no frame of
_CONTEXT = re.compile(r"grad_mode|GLOBAL_STATE|inference_mode|autocast|deterministic|default_dtype|num_threads|torch_function_mode|training|requires_grad|dispatch key", re.I)


def is_around(name, file):
    """Whether a compilation is of the frame that the compiler puts around a library's function."""
    return name == "inner" and bool(file) and file.endswith(_AROUND)


def function_of(function):
    """What torch.compile was given: of a module its forward()."""
    code = getattr(function, "__code__", None)
    if code is not None and is_around(code.co_name, code.co_filename):
        function = getattr(function, "__wrapped__", function)
    if isinstance(function, torch.nn.Module):
        return function.forward
    if hasattr(getattr(function, "__self__", None), "_orig_mod"):
        return function.__self__._orig_mod.forward
    if inspect.ismethod(function) and function.__name__ in ("__call__", "_wrapped_call_impl", "_call_impl") and isinstance(function.__self__, torch.nn.Module):
        return function.__self__.forward
    return function


class Traced:
    """A function that was compiled: its calls, and what its compilations were made for."""

    def __init__(self, function):
        self.name = getattr(function, "__name__", type(function).__name__)
        self.code = getattr(function, "__code__", None)
        self.names = getattr(function, "__globals__", {})
        try:
            self.signature = inspect.signature(function)
        except (TypeError, ValueError):
            self.signature = None
        self.calls = self.traces = self.made = 0
        self.kept = {}  # argument -> words, of the last compilation
        self.same = {}  # argument -> the one before it that was the same tensor

    def is_made_of(self, name, file):
        """Whether a compilation of that code is one of this function; a library's is compiled in a frame of the compiler's around it."""
        if self.code is not None and (name, file) == (self.code.co_name, self.code.co_filename):
            return True
        return is_around(name, file) and (self.code is None or not is_user_code(self.code))


class Call:
    """A call of a compiled function under way."""

    def __init__(self, aside):
        self.aside = aside  # a context in which the modes are off
        self.op = None
        self.tensors, self.given, self.count, self.owner = (), {}, 0, None
        self.same = {}
        self.begin = self.end = (0, 0.0)

    def time_without(self, compiling):
        """(begin, end) in ticks, as if so many microseconds of it had not been."""
        (begin, since), (end, until) = self.begin, self.end
        share = min(1.0, compiling * 1e-6 / max(until - since, 1e-9))
        return begin, end - int((end - begin) * share)


@left_alone
def _now():
    return module.ticks(), time.perf_counter()


_enter = uncompiled(lambda context: context.__enter__())
_leave = uncompiled(lambda context: context.__exit__(None, None, None))


def shape_of(value):
    return "[" + ", ".join(str(size) for size in value.shape) + "]"


def _words(value):
    if isinstance(value, torch.Tensor):
        return f"{shape_of(value)} {str(value.dtype).replace('torch.', '')}"
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return repr(value) if not isinstance(value, str) else value
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__} of {len(value)}"
    if isinstance(value, dict):
        return "keys " + ", ".join(sorted(str(key) for key in value))
    return type(value).__name__


def _all_words(given):
    """The words of each argument, and of each tensor in a list or dict, by the name that guards have for it."""
    found = {key: _words(value) for key, value in given.items()}
    for key, value in given.items():
        items = value.items() if isinstance(value, dict) else enumerate(value[:_MOST_ITEMS]) if isinstance(value, (list, tuple)) else ()
        found.update((f"{key}[{name!r}]", _words(item)) for name, item in items if isinstance(item, torch.Tensor))
    return found


def _kind(reason):
    if re.search(r"BACKEND_MATCH|current_backend|lookup_backend", reason):
        return "new_function"
    if re.search(r"(size|rank|stride) mismatch|\.size\(\)|\.stride\(\)|symbolic shape", reason):
        return "shape"
    if "dtype mismatch" in reason:
        return "dtype"
    if re.search(r"\.training\b", reason) or _CONTEXT.search(reason):
        return "context"
    if re.search(r"\blen\(|keys|dict_contains|not in |LENGTH|hasattr|^not [a-zA-Z]", reason):  # `not`: it was empty
        return "structure"
    if re.search(r" is not | is L|uplicate|ALIASING|alias", reason):
        return "aliasing"
    if re.search(r"check_obj_id|ID_MATCH|\bid\(|weakref|check_type_id|type\(|__code__|__closure__", reason):
        return "structure" if re.search(r"check_type_id|type\(", reason) else "identity"
    return "value"


def _plain(reason):
    """A guard without the number of its compilation and without the line that it comes from."""
    return re.sub(r"^\d+/\d+: ", "", reason.strip().split("\n")[0]).split("  #")[0].strip()


def _argument(reason):
    """(name, its first part) of what a guard speaks of: `self.scale`, `letter`; two empty texts where it speaks of none."""
    tensor = re.match(r"tensor '(.*?)' (?:\w+ mismatch|dispatch|requires_grad|Tensor)", reason)
    text = tensor.group(1) if tensor else reason
    text = re.sub(r"\b[LG]\['(\w+)'\]", r"\1", re.sub(r"^\d+ (?:<=|<|>=|>|==|!=) ", "", text))
    text = re.sub(r"\._(?:modules|parameters|buffers)\['(\w+)'\]", r".\1", text)
    text = re.sub(r"^not |^\(|_*check_\w+\(|_*dict_contains\([^,]*, |\blen\(|\btype\(|\bid\(|\bhasattr\(|\bstr\(", "", text)
    found = re.match(r"\s*([A-Za-z]\w*(?:\.\w+|\[[^\]]*\])*)", text)
    if not found or found.group(1) in ("GLOBAL_STATE", "BACKEND_MATCH", "torch", "None", "True", "False", "Duplicate", "unknown"):
        return "", ""
    name = re.sub(r"\.(?:size|stride|training|dtype|__code__|__closure__).*$", "", found.group(1))
    return name, re.split(r"[.\[]", name)[0]


_FIXES = {
    "shape": "compile with dynamic=True, mark the size with torch._dynamo.mark_dynamic(x, 0), or pad to one size",
    "dtype": "pass one dtype: cast with to() before the call",
    "value": "a Python value is a constant of the compiled code, which each new one compiles again: pass it as a tensor, or keep it the same",
    "structure": "the code is compiled for the length and keys of its arguments: stack the items into one tensor (torch.stack), or pad to one length",
    "context": "it was compiled for another context (requires_grad, grad mode as no_grad sets it, training mode, autocast): call it in the same one, or accept one compilation for each",
    "identity": "an object that is made again is a new constant: make it once and pass the same object, or pass tensors",
    "aliasing": "arguments that are the same tensor compile again: pass different tensors, or a clone()",
    "new_function": "torch.compile() makes a new function each time, and a new backend needs new code: call it once, before and outside of the loop",
}


def same_of(given):
    """{argument: the one before it that is the same tensor} of {argument: value}."""
    first, found = {}, {}
    for name, value in given.items():
        if isinstance(value, torch.Tensor):
            known = first.setdefault(id(value), name)
            if known != name:
                found[name] = known
    return found


def retrace_of(known, reason, given, owner, same=None):
    """Why a function was compiled again: the kind, the argument, what it was before and now, the fix. `same`: arguments that are the tensor of another one."""
    reason = _plain(reason or "")
    kind, (argument, first) = _kind(reason), _argument(reason)
    place = re.fullmatch(r"args\[(\d+)\]", argument)  # of a library's function
    if place and known.signature is not None and int(place.group(1)) < len(known.signature.parameters):
        argument = first = list(known.signature.parameters)[int(place.group(1))]
    if not reason:
        kind = "new_function" if known.made > 1 else "identity"
    if kind == "aliasing" and same != known.same and same is not None:
        argument = first = next(iter(same.keys() ^ known.same.keys()), argument)
        before, after = (f"the tensor of {found[argument]}" if argument in found else "another tensor" for found in (known.same, same))
        return {"kind": kind, "argument": argument, "from": before, "to": after, "fix": _FIXES[kind]}
    before, after = known.kept.get(argument, ""), given.get(argument, "")
    if before == after or kind == "context":
        numbers = re.search(r"expected ([^,]+), actual ([^\s,]+)", reason)
        value = re.search(r"== ?('[^']*'|[-\w.]+)", reason)
        if kind == "context":
            before, after = _context(reason)
        elif numbers:
            before, after = numbers.group(1), numbers.group(2)
        elif value:
            before, after = value.group(1).strip("'"), _attribute(owner, argument) or _global(known, argument) or "another"
    if "None" in (before, after) and kind in ("value", "identity", "structure", "shape", "dtype"):
        kind = "structure"
        before, after = (f"tensor {text}" if text.startswith("[") else text for text in (before, after))
        fix = f"None and a value are different code: pass one of them always (a default tensor in place of None for {argument}), or accept one compilation for each"
    else:
        fix = _FIXES[kind]
        if kind == "shape" and "stride" in reason:
            before, after = (f"strides with {each}" for each in (before, after))
            fix = "its elements lie in another order, as after t(), transpose() or channels_last: call contiguous() first, or keep to one layout"
        elif kind == "shape" and re.search(r"^2 <= |(?:expected|actual) 1\b", reason):
            fix += "; a size of 1 is compiled separately even then"
    return {"kind": kind, "argument": argument or "context", "from": before or "the code before", "to": after or "this call", "fix": fix}


class Compiling:
    def __init__(self, watching):
        self.watching = watching
        self.functions = {}  # code -> Traced
        self.counts = CallCounts(watching.answers.writer)

    def install(self, patches):
        # Imported by the program's first call of torch.compile, else by none.
        patches.set(torch, "compile", self._compile, "torch.compile is not watched")
        for owner, name in ((torch.jit, "trace"), (torch.jit, "trace_module"), (torch.export, "export"), (torch.onnx, "export")):
            patches.set(owner, name, self._traced_aside, f"what {name}() traces holds ops of the hooks")
        self.patches = patches
        self.ready = False
        if "torch._dynamo.eval_frame" in sys.modules:
            self._listen()

    def _listen(self):
        if self.ready:
            return
        self.ready = True
        from torch._dynamo import eval_frame
        self.patches.set(eval_frame._TorchDynamoContext, "__call__", self._context, "recompiles are not seen")
        listen_for_reasons(self.patches)
        listen_for_breaks(self.patches, self._broke)

    def _compile(self, original):
        def compile(*args, **kwargs):
            import torch._dynamo  # noqa: F401, as the original does
            self._listen()
            return original(*args, **kwargs)
        return compile

    def _traced_aside(self, original):
        """A tracer that makes a graph of what runs is to find the program alone."""
        def trace(*args, **kwargs):
            if muted() or self.watching.state.off:
                return original(*args, **kwargs)
            with self.watching.modes_off():
                return original(*args, **kwargs)
        return trace

    def _context(self, original):
        def __call__(context, function):
            compiled = original(context, function)
            if not inspect.isfunction(compiled) or getattr(context, "callback", None) in (None, False) or muted():
                return compiled
            return self._wrapped(compiled, function)
        return __call__

    def _wrapped(self, compiled, function):
        inner = function_of(function)
        known = self.functions.setdefault(getattr(inner, "__code__", id(inner)), Traced(inner))
        known.made += 1

        # It may be called below compiled code, where all that is left to the compiler would be compiled.
        @left_alone
        @functools.wraps(compiled)
        def call(*args, **kwargs):
            before = begins(known, inner, args, kwargs)
            if before is None:
                return compiled(*args, **kwargs)
            _enter(before.aside)
            before.begin = _now()
            try:
                result = compiled(*args, **kwargs)
            finally:
                before.end = _now()
                _leave(before.aside)
            ends(known, before, result)
            return result
        begins, ends = uncompiled(self._begins), uncompiled(self._ended)
        call.__dict__.update(compiled.__dict__)
        return call

    def _begins(self, known, inner, args, kwargs):
        """What is kept of a call until it ends; None where it is not the program's."""
        watching = self.watching
        if muted() or watching.state.off:
            return None
        known.calls += 1
        before = Call(watching.modes_off())
        try:
            with quiet():
                self._before(before, known, inner, args, kwargs)
        except Exception as error:
            watching.state.failed(error)
        return before

    def count(self, at_once=False):
        """Writes how often each function was called."""
        self.counts.write([(known.name, known.calls, known.traces) for known in self.functions.values() if known.traces], at_once)

    def _ended(self, known, before, result):
        try:
            with quiet():
                if before.op is not None:
                    self._after(known, before, result)
                self.count()
        except Exception as error:
            self.watching.state.failed(error)

    def _before(self, call, known, inner, args, kwargs):
        lines = here()
        given = dict(kwargs)
        if known.signature is not None:
            try:
                given = dict(known.signature.bind(*args, **kwargs).arguments)
            except TypeError:
                pass
        flow = self.watching.flow
        tensors = tensors_in(list(args), tensors_in(kwargs, []))
        owner = getattr(inner, "__self__", None) or given.get("self")  # bound, or a method that was compiled in its class
        if isinstance(owner, torch.nn.Module):
            tensors += list(owner.parameters())
        op = Op(known.name, "op", [flow.value(tensor, lines) for tensor in tensors], lines, flow.tick())
        op.seqs = self.watching.nodes.next()
        call.same = same_of(given)
        call.tensors, call.given, call.count, call.owner = tensors, _all_words(given), len(_metrics()), {**given, "self": owner}
        call.op = op

    def _after(self, known, call, result):
        op, outputs = call.op, tensors_in(result, [])
        flow = self.watching.flow
        for slot, tensor in enumerate(outputs):
            flow.made(tensor, op, slot)
        flow.add(op)
        self.watching.nodes.watch(op, outputs)
        made = _metrics()[call.count:]
        self.watching.ops.called(op, call.tensors, outputs, *call.time_without(sum(map(time_of, made))))
        for metrics in made:
            if not known.is_made_of(metrics.co_name, metrics.co_filename):
                continue
            known.traces += 1
            self._traced(known, metrics, call, op.lines)
            known.kept, known.same = call.given, call.same

    def _traced(self, known, metrics, call, lines):
        entry = {"name": known.name, "calls": known.calls, "traces": known.traces}
        place = lines[0] if lines else None
        if known.traces == 1:
            self.watching.answers.writer.traced(entry, None, place, time_of(metrics))
            return
        self.watching.answers.writer.traced(entry, retrace_of(known, reason_of(metrics), call.given, call.owner, call.same), place, time_of(metrics))

    def _broke(self, reason, exc, stack):
        try:
            found = graph_break(reason, exc, stack)
            if found is not None:
                self.watching.answers.advise(*found)
        except Exception as error:
            self.watching.state.failed(error)


def graph_break(reason, exc, stack=None):
    """(kind, subject, evidence, fix, place) of a graph that breaks; None where it was said or is no line of the program's."""
    if exc is not None and getattr(exc, "logged", False):
        return None
    stack = stack or getattr(exc, "real_stack", None) or torch._guards.TracingContext.extract_stack()
    place = next((Place((frame.filename, frame.lineno, frame.name)) for frame in reversed(list(stack)) if is_user(frame.filename)), None)
    if place is None:
        return None
    line = text_of(place)
    text = (str(exc or "") or reason or "").strip().split("\n")[0]
    reads = ".item(" in line or ".tolist(" in line or "float(" in line or ".numpy(" in line or "Tensor.item" in text
    fix = ("item() reads a value in the middle of the graph: keep it as a tensor, and read it outside of the compiled function" if reads else
           "move it outside of the compiled function, or write it with tensor ops; torch.compile(fullgraph=True) makes an error of it")
    return ("host_round_trip" if reads else "redundant_ops", f"graph break: {line}", f"the compiled graph breaks at {words.location([place])}: {text}", fix, place)


def _metrics():
    utils = sys.modules.get("torch._dynamo.utils")
    return utils.get_compilation_metrics() if utils is not None else []


def time_of(metrics):
    """Microseconds that a compilation took; 0 where it does not say."""
    return float(getattr(metrics, "duration_us", None) or 1e6 * (getattr(metrics, "entire_frame_compile_time_s", None) or 0))


def newest_compilation():
    """What torch.compile says of its last compilation; None before the first."""
    found = _metrics()
    return found[-1] if found else None


def _attribute(owner, argument):
    """What self.x holds now; of another argument, `owner` holds that."""
    name, _, rest = argument.partition(".")
    value = owner.get(name) if isinstance(owner, dict) else owner if name == "self" else None
    if value is None or not rest:
        return ""
    for part in argument.split(".")[1:]:
        value = getattr(value, part, None)
    return "" if value is None or callable(value) else _words(value)


def _global(known, name):
    """What a number or text of the function's module is now."""
    value = known.names.get(name)
    return _words(value) if isinstance(value, (bool, int, float, str)) else ""


def _context(reason):
    if "grad_mode" in reason or "GLOBAL_STATE" in reason:
        now = torch.is_grad_enabled()
        return f"grad mode {not now}", f"grad mode {now}"
    if "training" in reason:
        return ("train()", "eval()") if "True" in reason else ("eval()", "train()")
    wanted = re.search(r"requires_grad mismatch\. expected requires_grad=(\d)", reason)
    if wanted:
        return tuple(f"requires_grad {wanted.group(1) == each}" for each in "10")
    return "the context before", "another context"
