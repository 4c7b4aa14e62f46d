"""TensorFlow's own modules, wherever this version keeps them."""
from tensorflow.python import pywrap_tfe
from tensorflow.python.data.ops import dataset_ops
from tensorflow.python.eager import backprop, context, execute, imperative_grad
from tensorflow.python.framework import constant_op, dtypes, errors, op_callbacks, op_def_registry, ops, tensor_util
from tensorflow.python.ops import custom_gradient, resource_variable_ops, script_ops
from tensorflow.python.util import nest, tf_stack

try:
    from tensorflow.python.eager import record
except ImportError:  # before 2.13
    from tensorflow.python.eager import tape as record
try:
    from tensorflow.python.eager.polymorphic_function import polymorphic_function
except ImportError:  # before 2.11
    polymorphic_function = None
try:
    from tensorflow.python.eager.polymorphic_function import tracing_compilation
except ImportError:  # before 2.13
    tracing_compilation = None

try:
    from tensorflow.python.eager.polymorphic_function import concrete_function
except ImportError:  # before 2.12
    concrete_function = None

try:
    from tensorflow.python.eager.polymorphic_function import function_context
except ImportError:  # before 2.13
    function_context = None

try:
    from tensorflow.python.profiler.internal import _pywrap_profiler as profiler
except ImportError:
    profiler = None

EagerTensor = ops.EagerTensor
ResourceVariable = resource_variable_ops.ResourceVariable

__all__ = ["EagerTensor", "ResourceVariable", "backprop", "concrete_function", "constant_op", "context", "custom_gradient", "dataset_ops", "dtypes", "errors", "execute", "function_context", "imperative_grad", "nest", "op_callbacks", "op_def_registry", "ops", "polymorphic_function",
           "profiler", "pywrap_tfe", "record", "resource_variable_ops", "script_ops", "tensor_util", "tf_stack", "tracing_compilation"]


def dtype_names():
    """Names of element types by TensorFlow's numbers; None where there is none."""
    most = max(int(number) for number in dtypes._TYPE_TO_STRING if not hasattr(number, "as_datatype_enum")) if hasattr(
        dtypes, "_TYPE_TO_STRING") else 64
    names = []
    for number in range(max(most, 64) + 1):
        try:
            names.append(dtypes.as_dtype(number).name)
        except (TypeError, KeyError, ValueError):
            names.append(None)
    return names


def has_gpu():
    return any(device.device_type != "CPU" for device in context.context().list_logical_devices()
               ) if context.context()._initialized else False
