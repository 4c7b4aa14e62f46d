"""Ops: the callback that announces each one, on every thread; the entries that show when it began."""
import threading

from tapescope import _tapescope as module
from tapescope import names
from tapescope.tensorflow import functions, graphs, rules, variables
from tapescope.tensorflow.versions import EagerTensor, ResourceVariable, backprop, context, custom_gradient, dtype_names, execute, has_gpu, op_callbacks, pywrap_tfe, record, tf_stack
from tapescope.places import is_user

_threads = threading.local()


def install(patches):
    module.configure(eager=EagerTensor, dtypes=dtype_names(), readable=not has_gpu(), is_user=is_user, rule=rules.rule_of,
                     variable=variables.define, graph=graphs.added, names_of=names.names_of, origin=_origin_of, plain_variable=ResourceVariable)
    _listen_on_thread()
    patches.on_undo(_leave_thread)
    patches.set(pywrap_tfe, "TFE_Py_FastPathExecute", module.wrap_fast_path, "variables that an op reads itself look like constants")
    patches.set(pywrap_tfe, "TFE_Py_Execute", module.wrap_execute, "some ops have no begin")
    patches.set(threading.Thread, "_bootstrap_inner", _on_thread, "ops of other threads are not recorded")
    gradient = module.wrap_gradient(backprop._gradient_function)
    pywrap_tfe.TFE_Py_RegisterGradientFunction(gradient)
    patches.on_undo(lambda: pywrap_tfe.TFE_Py_RegisterGradientFunction(backprop._gradient_function))
    patches.set(execute, "record_gradient", _graph_op_recorded, "backward steps inside functions are not looked at")
    patches.set(record, "record_operation", _recorded, "custom gradients look like the ops inside them")
    patches.set(record, "stop_recording", _silence, "ops inside init_scope look as if tapes recorded them")


def _origin_of(path, line):
    """The file, function and line of the program that autograph made a line from; None where it made it from none."""
    origin = tf_stack._source_mapper_stacks[tf_stack._get_thread_key()][-1].get_effective_source_map().get((path, line))
    return (origin[0], origin[2], origin[1]) if origin and is_user(origin[0]) else None


def _listen_on_thread():
    if not getattr(_threads, "listens", False):
        op_callbacks.add_op_callback(module.op_callback)
        _threads.listens = True


def _leave_thread():
    # Other threads keep theirs, which does nothing while no session listens: taking the last one away would silence this one's slow ops.
    if getattr(_threads, "listens", False):
        _threads.listens = False
        try:
            op_callbacks.remove_op_callback(module.op_callback)
        except KeyError:
            pass


def _on_thread(original):
    def _bootstrap_inner(self):  # calls run(), which a program's own class may have
        if module.listening():
            try:
                _listen_on_thread()
            except Exception:  # the thread has no use for our trouble
                pass
        return original(self)
    return _bootstrap_inner


def _graph_op_recorded(original):
    def record_gradient(op_name, inputs, attrs, outputs):
        original(op_name, inputs, attrs, outputs)
        if module.tracing() and not module.is_muted():
            first = outputs[0] if isinstance(outputs, (list, tuple)) and len(outputs) else outputs
            number = module.known(first._id) if hasattr(first, "_id") else 0
            if number:
                module.trace_forward(attrs, number, graphs.site_of(first))
    return record_gradient


def _recorded(original):
    def record_operation(op_type, output_tensors, input_tensors, backward_function, forward_function=None):
        try:
            backward = _backward_of(op_type, output_tensors, input_tensors, backward_function)
        except Exception as error:
            module.failed(repr(error))
            backward = backward_function
        return original(op_type, output_tensors, input_tensors, backward, forward_function)
    return record_operation


def _backward_of(op_type, outputs, inputs, backward):
    """The backward function, which announces its step; what the record says of the op comes with it."""
    if module.is_muted():
        return backward
    op_type = op_type.decode() if isinstance(op_type, bytes) else str(op_type)
    number = module.op_number(op_type)
    is_function = op_type.startswith(("__forward_", "__inference_", "__backward_"))
    if op_type == "captured_value":
        graphs.captured(outputs[0], inputs[0])
        return backward
    if module.tracing():
        if outputs and getattr(backward, "__module__", "") == custom_gradient.__name__:
            graphs.custom(op_type, outputs, inputs)
        output = module.known(outputs[0]._id) if outputs and hasattr(outputs[0], "_id") else 0
        return _traced_step(output, backward) if output else backward
    if not outputs:
        return backward
    behind = None
    if is_function:
        output, site = module.find(outputs[0]), module.site()
        behind = functions.look_behind(inputs)
    else:
        ids = [module.tensor(tensor) for tensor in inputs if hasattr(tensor, "_id")]
        types = [module.type_of(tensor) for tensor in inputs if hasattr(tensor, "_id")]
        site = module.site()
        output = module.op(op_type, ids, types, [tensor._id for tensor in outputs], [module.type_of(tensor) for tensor in outputs], site, 0)

    def step(*cotangents):
        origin, result = module.step_begin(output, site), None
        try:
            result = backward(*cotangents)
            return result
        finally:
            if module.step_end(output, origin, result, cotangents, number) and behind is not None:
                behind(cotangents, result)
    return step


def _traced_step(output, backward):
    def step(*cotangents):
        result = backward(*cotangents)
        module.traced_step(output, result, cotangents)
        return result
    return step


class _Silence:
    """TensorFlow's context manager, with a record of its begin and end."""

    __slots__ = ("_manager",)

    def __init__(self, manager):
        self._manager = manager

    def __enter__(self):
        module.silence_begin("stop_recording")
        return self._manager.__enter__()

    def __exit__(self, *error):
        try:
            return self._manager.__exit__(*error)
        finally:
            module.silence_end()


def _silence(original):
    def stop_recording():
        manager = original()
        # Its block begins at once wherever TensorFlow asks for it; where no tape would record it, there is nothing to say.
        return _Silence(manager) if module.active_tapes() > 0 and not module.is_muted() else manager
    return stop_recording
