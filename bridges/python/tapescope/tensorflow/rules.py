"""Which inputs of an op never get a gradient: TensorFlow's registry, and what its registered gradients return."""
from tapescope.tensorflow.versions import op_def_registry, ops

NO_GRADIENT = 0xFFFFFFFF
STOPS = 0x7FFFFFFF  # not even a tape's own step

# Registered gradients that return None for every input, or for those of a mask: no registry says so.
_RETURNED = {
    "StopGradient": STOPS, "PreventGradient": NO_GRADIENT,
    "Floor": NO_GRADIENT, "Ceil": NO_GRADIENT, "Round": NO_GRADIENT, "Rint": NO_GRADIENT, "FloorDiv": NO_GRADIENT,
    "Betainc": 0b011, "Polygamma": 0b001, "Zeta": 0b001, "RandomGammaGrad": NO_GRADIENT,
    "UnsortedSegmentSum": 0b110, "SegmentSum": 0b10, "SegmentMean": 0b10,
}
# Ops without a gradient by nature that are no mathematics: what they make is their own.
_SOURCES = ("Const", "Fill", "RandomUniform", "RandomStandardNormal", "Range", "VarHandleOp", "NoOp")


def rule_of(op_type):
    """A mask of the inputs that never get one."""
    if op_type in _RETURNED:
        return _RETURNED[op_type]
    if op_type in _SOURCES:
        return 0
    try:
        return NO_GRADIENT if ops._gradient_registry.lookup(op_type) is None else 0
    except LookupError:
        # A custom gradient is named after its function, which is no op of TensorFlow's.
        return NO_GRADIENT if op_def_registry.get(op_type) is not None else 0
