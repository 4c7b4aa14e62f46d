"""Ops that are added to a graph while a function is traced, with the line of the user's code that autograph rewrote."""
from tapescope import _tapescope as module
from tapescope.places import is_user
from tapescope.tensorflow import loops

TRACED = 4
_NOT_OPS = ("Placeholder", "NoOp", "_Arg", "_Retval")


def type_of(tensor):
    shape = tensor._shape_tuple() if hasattr(tensor, "_shape_tuple") else None
    return module.type(tensor.dtype.base_dtype.name, tuple(-1 if size is None else size for size in shape or ()))


def _user_frame(tensor):
    """Where the user's code made it; None where no line of the user's led to it."""
    return _user_frame_of(tensor.op)


def _user_frame_of(op):
    for frame in reversed(list(getattr(op, "traceback", ()))):
        if is_user(frame.filename):
            return frame
    return None


_MOST_CALLERS = 8  # as sites.cpp has it
_BLOCKS, _CALLS = "/autograph/operators/", "/autograph/impl/"  # of TensorFlow: what runs the parts of a rewritten function, and what calls one


def _user_frames(op):
    """Where the user's code made it, and the lines that led there, the innermost first."""
    found, between = [], []
    for frame in reversed(list(getattr(op, "traceback", ()))):
        if not is_user(frame.filename):
            between.append(frame.filename)
            continue
        # A loop or a branch of a rewritten function is a function inside of it.
        same = bool(found) and (frame.filename, frame.name) == (found[-1].filename, found[-1].name)
        if not (same and any(_BLOCKS in path for path in between) and not any(_CALLS in path for path in between)):
            found.append(frame)
        between.clear()
        if frame.name == "<module>" or len(found) > _MOST_CALLERS:
            break
    return found


def _note_callers(site, frames):
    module.callers(site, [module.site_of(frame.filename, frame.name, frame.lineno, 0, 0) for frame in frames])


def _site(frame):
    if frame is None:
        return module.site()
    scope = module.set_scope(0)
    module.set_scope(scope)
    return module.site_of(frame.filename, frame.name, frame.lineno, 0, scope)


def site_of(tensor):
    """Where the user's code made it."""
    return _site(_user_frame(tensor))


def site_in(op, scope):
    """Where the user's code made an op of a graph, in a scope."""
    frame = _user_frame_of(op)
    if frame is not None:
        return module.site_of(frame.filename, frame.name, frame.lineno, 0, scope)
    outer = module.set_scope(scope)
    try:
        return module.site()
    finally:
        module.set_scope(outer)


def _known(tensor, site):
    number = module.known(tensor._id)
    if number:
        return number
    return module.tensor_made(tensor._id, type_of(tensor))


def added(op_type, inputs, outputs, op_name, graph):
    """Of op_callbacks: an op became part of a graph."""
    if module.tracing() == 0:
        return  # built by the framework for itself
    op_type = op_type.decode() if isinstance(op_type, bytes) else op_type
    outputs = list(outputs) if outputs is not None else []
    if op_type in _NOT_OPS:
        for tensor in outputs:
            if not module.known(tensor._id):
                module.tensor_made(tensor._id, type_of(tensor))
        return
    frames = _user_frames(outputs[0].op) if outputs else []
    frame = frames[0] if frames else None
    site = module.origin() or _site(frame)
    if op_type == "Const":
        if not module.known(outputs[0]._id):
            module.constant(outputs[0]._id, type_of(outputs[0]), site, _values(outputs[0]))
        return
    if op_type == "AssignVariableOp":
        if len(inputs) > 1:
            module.assign(_known(inputs[0], site), _known(inputs[1], site), site)
        return
    if op_type.startswith(("__inference_", "__forward_")) or op_type == "StatefulPartitionedCall":
        op_type = "PartitionedCall"
    if frame:
        loops.added(graph, frame, outputs[0].op, op_type, inputs)
    ids = [_known(tensor, site) for tensor in inputs]
    if frame and not module.origin():
        _note_callers(site, frames[1:])
    module.op(op_type, ids, [type_of(tensor) for tensor in inputs], [tensor._id for tensor in outputs],
              [type_of(tensor) for tensor in outputs], site, TRACED)
    if op_type.startswith(("AssignAdd", "AssignSub", "ResourceApply", "ResourceSparseApply", "ResourceScatter")) and ids:
        module.assign(ids[0], 0, site)


def custom(name, outputs, inputs):
    """Of record_operation: outputs of a graph have a gradient that the program gave. Inputs are the results of what it computed, then its arguments;
    between the first and the others stands its handle, as in records of such an op anywhere."""
    site = _site(_user_frame(outputs[0]))
    ids, types = [_known(tensor, site) for tensor in inputs], [type_of(tensor) for tensor in inputs]
    handle = module.type("resource", ())
    module.op(name, [ids[0], module.tensor_made(-1, handle), *ids[1:]], [types[0], handle, *types[1:]], [tensor._id for tensor in outputs],
              [type_of(tensor) for tensor in outputs], site, TRACED)


def _values(tensor):
    """The value of a constant, as something that has a buffer; None where it is large."""
    from tensorflow.python.framework import tensor_util
    shape = tensor._shape_tuple()
    count = 1
    for size in shape or ():
        count *= size
    if shape is None or count > 1024:
        return None
    value = tensor_util.constant_value(tensor)
    return value if hasattr(value, "dtype") and value.dtype.kind in "fibu" else None


def captured(placeholder, outer):
    """A tensor of the outside that a graph takes in: both are one."""
    number = module.known(outer._id) or module.tensor_made(outer._id, type_of(outer))
    module.same_tensor(placeholder._id, number, type_of(outer))
