"""tf.function: calls, traces, and the argument for which each trace was made."""
import functools
import threading
import weakref

from tapescope import _tapescope as module
from tapescope.places import is_user
from tapescope.steps import steps
from tapescope.tensorflow import graphs, loops, trace_types
from tapescope.tensorflow.behind import Behind
from tapescope.tensorflow.expand import expand
from tapescope.tensorflow.looks import Begun, Looks
from tapescope.tensorflow.waits import Waits, has_exchanges
from tapescope.tensorflow.versions import concrete_function, function_context, nest, polymorphic_function, tracing_compilation

TRACED, NESTED, NOT_CALLED, REPEATED = 1, 2, 4, 8  # flags of FunctionCallRecord
RELAXES, SIGNATURE, COMPILED, LIBRARY = 1, 2, 4, 8  # flags of FunctionMadeRecord


class _Known:
    """What is known of objects, by address until they are gone: looked up in each call."""

    def __init__(self):
        self._held = {}  # address -> (what is known, a reference that takes it away)

    def get(self, item):
        found = self._held.get(id(item))
        return found[0] if found else None

    def put(self, item, known):
        address = id(item)
        self._held[address] = known, weakref.ref(item, lambda _: self._gone(address))
        return known

    def _gone(self, address):
        self._held.pop(address, None)


class _KnownTraces(_Known):
    """The same for the hook around a concrete function's calls, which is no Python."""

    def put(self, item, known):
        module.trace_known(item, known, not (known.asks or known.waits))
        return super().put(item, known)

    def _gone(self, address):
        module.trace_gone(address)
        super()._gone(address)


_functions = _Known()  # tf.function -> _Function
_traces = _KnownTraces()  # concrete function -> _Trace


class _Local(threading.local):
    """What the calling thread is about; read by each call, so that it has no look for what is missing."""

    def __init__(self):
        super().__init__()
        self.stack = []


_local = _Local()


def _written(function):
    """The function that the program wrote, behind functools.partial."""
    while isinstance(function, functools.partial):
        function = function.func
    return function


class _Function:
    def __init__(self, function):
        wrapped = _written(function._python_function)
        code = getattr(function, "_key_for_call_stats", None) if wrapped is function._python_function else getattr(wrapped, "__code__", None)
        flags = (RELAXES if function._reduce_retracing else 0) | (SIGNATURE if function.input_signature is not None else 0)
        flags |= COMPILED if function._jit_compile else 0
        flags |= 0 if is_user(getattr(code, "co_filename", "")) else LIBRARY
        name = getattr(wrapped, "__name__", None) or function._name or "function"
        mark = hash((getattr(code, "co_filename", id(wrapped)), getattr(code, "co_firstlineno", 0), name)) & 0xFFFFFFFFFFFFFFFF
        self.number = module.function_made(flags, name, mark, module.site())
        self.calls = self.traces = 0
        self.asks = False  # a trace of it holds a question


class _Trace:
    def __init__(self, number, graph):
        self.number = number
        self.nodes = len(graph.get_operations())
        self.loops = loops.unrolled(graph)
        self.answers = {}  # gradient's identity -> (source id, name)
        self.asks = False
        self.assigns = any("Assign" in op.type or op.type.startswith(("ResourceApply", "ResourceScatter")) for op in graph.get_operations())
        self.looks = Looks(graph)
        self.behind = Behind(weakref.proxy(graph))
        self.waits = Waits() if has_exchanges(graph) else None
        self.outputs = [_handed_on(tensor) for tensor in graph.outputs]


def _handed_on(tensor):
    """Identities of a graph's tensor and of those that it hands on: TensorFlow wraps in Identity what a function returns."""
    found = [tensor._id]
    while tensor.op.type == "Identity":
        tensor = tensor.op.inputs[0]
        found.append(tensor._id)
    return found


class _Call:
    """A call under way."""

    traced = None  # (kept type, ticks spent) of the trace just made
    given = None
    asks = False
    begin = 0
    trace = None
    context = None  # in which its last trace was made

    def __init__(self, function, called):
        self.function = function  # the tf.function
        self.known = _functions.get(function)  # its _Function; None until it is met
        self.called = called
        self.answers = {}

    def met(self):
        """What is known of the function, from now on."""
        if self.known is None:
            self.known = _of(self.function)
        return self.known


def take_part(stack):
    """What the calling thread traces and calls is part of the calls in `stack`, those under way of the thread that waits for it."""
    _local.stack = stack


def calls_under_way():
    """Of the calling thread, the innermost last."""
    return _local.stack


def _of(function):
    known = _functions.get(function)
    if known is None:
        known = _functions.put(function, _Function(function))
    return known


def install(patches):
    if polymorphic_function is None or tracing_compilation is None:
        patches.missing.append("tracing_compilation is missing in this version: calls and traces of functions are not seen")
        return
    function = polymorphic_function.Function
    module.configure_calls(_begun, _ended, _raised)
    for name, lost in (("__call__", "calls of functions are not seen"), ("get_concrete_function", "some traces of functions are not seen")):
        patches.set(function, name, lambda original, name=name: module.wrap_call_method(function, name, original), lost)
    if concrete_function is not None:
        concrete = concrete_function.ConcreteFunction
        patches.set(concrete, "_call_flat", lambda original: module.wrap_call_method(concrete, "_call_flat", original, _flat(original)),
                    "what tapes inside of functions answer is not looked at")
    patches.set(tracing_compilation, "trace_function", _tracing, "calls of functions are not seen")
    patches.set(tracing_compilation, "_create_concrete_function", _creating, "traces of functions are not seen")
    patches.set(tracing_compilation.function_type_utils, "make_canonicalized_monomorphic_type", _typing, "retraces have no argument")


def _flat(original):
    """Of a call whose graph is looked at."""
    def _call_flat(self, tensor_inputs, captured_inputs):
        begun, waits, trace = None, None, _traces.get(self)
        if trace is not None and (trace.asks or trace.waits) and not module.is_muted() and not module.tracing():
            waits = trace.waits
            if trace.asks:
                begun = _guarded(trace.looks.begin, list(tensor_inputs) + list(captured_inputs))
        if trace is not None and not module.tracing() and not module.is_muted() and module.steps_inside():
            begun = _expanded(self, begun if begun is not None else Begun(list(tensor_inputs) + list(captured_inputs)))
        # An iterator that the call takes from may be an argument or a capture.
        if begun is not None and begun.element is not None:
            tensor_inputs, captured_inputs = begun.inputs[:len(tensor_inputs)], begun.inputs[len(tensor_inputs):]
        if waits is None:
            result = original(self, tensor_inputs, captured_inputs)
        else:
            result = waits.call(lambda: original(self, tensor_inputs, captured_inputs), module.site())
        if begun is not None and begun.looked_at:
            _guarded(trace.looks.end, begun, nest.flatten(result, expand_composites=True))
        return result
    return _call_flat


def look_behind(inputs):
    """For the backward step of the call that a tape records now: what looks into it where its results are remarkable, or None."""
    trace = module.running_trace()
    if trace is None:
        return None
    inputs = list(inputs)
    return lambda cotangents, results: _guarded(trace.behind.look, inputs, cotangents, results)


def _expanded(concrete, begun):
    """Runs the call's graph beside it, as far as it goes, for a viewer that steps into it; what the call begins with from then on."""
    _guarded(expand, concrete, begun, _name_of(concrete))
    return begun


def _name_of(concrete):
    """What its author calls it."""
    stack = _local.stack
    return getattr(stack[-1].function._python_function, "__name__", concrete.name) if stack else concrete.name


def _guarded(look, *arguments):
    """Runs it unseen; the program has no use for our trouble."""
    module.mute()
    try:
        return look(*arguments)
    except Exception as error:
        module.failed(repr(error))
        return None
    finally:
        module.unmute()


def answered(gradient, source, name):
    """A tape inside the function that is being traced answered with a node of the graph."""
    for call in _local.stack[-1:]:
        call.answers[gradient._id] = (source, name)


def asked():
    for call in _local.stack:
        call.asks = True


def _begun(function, called):
    """A call begins, or a trace that is asked for without one; what is known of it, until it has ended or raised."""
    stack = _local.stack
    call = _Call(function, called)
    try:
        if called and not stack:
            _begin_step(call)
    except Exception as error:
        module.failed(repr(error))
    stack.append(call)
    return call


def _raised(call):
    _local.stack.remove(call)


def _ended(call, result):
    _local.stack.remove(call)
    if call.trace is not None and call.called and not module.tracing():
        _note_end(call, result)


def _begin_step(call):
    """A function that asks inside is a separate step; what its first call will do is not known yet."""
    if module.tracing() or module.active_tapes():
        return
    known = call.known or call.met()
    if known.asks:
        steps.arrive(("function", known.number))
    elif known.calls == 0:
        steps.open_at_least()


def _note_end(call, result):
    module.function_end(call.known.number, call.trace.nodes, call.begin)
    if not call.trace.answers:
        return
    found = [item for item in nest.flatten(result, expand_composites=True) if hasattr(item, "_id")]
    if len(found) == len(call.trace.outputs):
        for identities, item in zip(call.trace.outputs, found):
            answer = next((call.trace.answers[identity] for identity in identities if identity in call.trace.answers), None)
            if answer:
                module.gradient_values(item, *answer)


def _typing(original):
    def make_canonicalized_monomorphic_type(*args, **kwargs):
        made = original(*args, **kwargs)
        stack = _local.stack
        if stack and isinstance(made, tuple):
            stack[-1].given = made[0]
        return made
    return make_canonicalized_monomorphic_type


def _creating(original):
    def _create_concrete_function(function_type, type_context, func_graph, tracing_options):
        stack = _local.stack
        if not stack or module.is_muted() or not _is_of(stack[-1].function, tracing_options):
            return original(function_type, type_context, func_graph, tracing_options)
        call, given = stack[-1], stack[-1].given
        outer = call.answers, call.asks
        call.answers, call.asks = {}, False
        call.context = _context(tracing_options)
        begin = module.ticks()
        module.trace_begin()
        try:
            made = original(function_type, type_context, func_graph, tracing_options)
            _note_parameters(made.graph)
        finally:
            module.trace_end()
        call.traced = function_type, given, module.ticks() - begin
        trace = _Trace(call.met().traces + 1, made.graph)
        trace.answers, trace.asks = call.answers, call.asks
        call.answers, call.asks = outer
        _traces.put(made, trace)
        return made
    return _create_concrete_function


def _context(options):
    """What besides its arguments the trace depends on that is about to be made; None where this version hides it."""
    if function_context is None:
        return None
    try:
        return function_context.make_function_context(getattr(options, "scope_type", None)).context
    except Exception as error:
        module.failed(repr(error))
        return None


def _note_parameters(graph):
    for place, tensor in enumerate(graph.inputs):
        number = module.known(tensor._id)
        if number:
            module.trace_parameter(number, tensor.op.name, place)


def _tracing(original):
    def trace_function(args=None, kwargs=None, tracing_options=None):
        made = original(args, kwargs, tracing_options)
        stack = _local.stack
        if stack and not module.is_muted() and _is_of(stack[-1].function, tracing_options):
            try:
                _called(stack[-1], made)
            except Exception as error:
                module.failed(repr(error))
        return made
    return trace_function


def _is_of(function, options):
    """Whether a trace is made, or called, for that tf.function: TensorFlow traces helpers while it traces one."""
    if options is None:
        return True
    first, later = getattr(function, "_variable_creation_config", None), getattr(function, "_no_variable_creation_config", None)
    return options is first or options is later or not (first or later)


def _called(call, concrete):
    function, trace = call.known or call.met(), _traces.get(concrete)
    if trace is None:  # made before anybody listened
        trace = _traces.put(concrete, _Trace(function.traces + 1, concrete.graph))
    traced, call.traced = call.traced, None
    repeated = traced is not None and bool(call.function._created_variables) and call.begin == 0 and call.trace is None and function.traces == 0
    flags = (TRACED if traced else 0) | (NESTED if module.tracing() else 0) | (0 if call.called else NOT_CALLED)
    if traced:
        function.traces += 1
    if repeated:
        module.function_call(function.number, flags | REPEATED, 0, function.calls + 1, trace.number, module.site())
        call.trace = None
        return
    if call.called:
        function.calls += 1
        if trace.asks and not module.tracing() and module.active_tapes() == 0:
            function.asks = True
            steps.ask_within(("function", function.number))
        if trace.assigns and not module.tracing():
            steps.note_update()
    call.trace = trace
    kept, given, spent = traced if traced else (None, None, 0)
    module.function_call(function.number, flags, spent, function.calls, trace.number, module.site())
    if traced:
        trace_types.note(kept, given if given is not None else kept, call.context)
        for loop in trace.loops:
            site = module.site_of(loop.file, loop.function, loop.line, 0, 0)
            module.unrolled_loop(function.number, trace.number, trace.nodes, loop.op, loop.rounds, loop.nodes, site)
        if function.traces > 1:
            module.stop_at_retrace()
    call.begin = module.ticks()
