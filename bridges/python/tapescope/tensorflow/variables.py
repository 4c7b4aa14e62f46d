"""Variables: known when they are first read, assigned or asked about."""
from tapescope import _tapescope as module
from tapescope import names
from tapescope.tensorflow.versions import constant_op, resource_variable_ops

_defined = set()  # ids of handles


def install(patches):
    _defined.clear()
    patches.set(resource_variable_ops, "variable_accessed", module.wrap_accessed, "tapes do not show which variables they watch by themselves")
    patches.set(constant_op, "convert_to_eager_tensor", module.wrap_converted, "tensors made by the host have no line")


def define(variable):
    """The id of the variable's handle; records the variable where it was not met before."""
    handle = variable.handle
    number = module.find(handle)
    if number == 0:
        number = module.handle_made(handle._id, module.type("resource", ()), module.site())
    if number not in _defined:
        _defined.add(number)
        text = names.keras_path(variable) or names.given_name(variable) or names.FrameNames().of(variable)
        shape = variable.shape
        sizes = [] if shape.rank is None else [-1 if size is None else size for size in shape.as_list()]
        module.variable(number, text or getattr(variable, "name", "variable").split(":")[0], bool(variable.trainable),
                        module.type(variable.dtype.base_dtype.name, sizes))
    return number

