"""What a trace depends on, argument by argument, in words: TensorFlow's own types of the call's arguments."""
import weakref

from tapescope import _tapescope as module

TENSOR, VARIABLE, NUMBER, TEXT, OBJECT, LIST, MAP, NONE, CONTEXT = range(9)  # ArgumentKind
NO_TYPE = 0xFFFFFFFF

_objects = {}  # class name -> references, in order of first sight


class Argument:
    """One argument, or an item of one."""

    def __init__(self, kind, words, type_number=NO_TYPE, alias=0, items=()):
        self.kind, self.words, self.type, self.alias, self.items = kind, words, type_number, alias, items


# Element types that a record names; of others the words do.
_NAMED = ("float32", "float64", "float16", "bfloat16", "int32", "int64", "bool", "resource")


def _tensor_words(spec):
    return ("" if spec.dtype.name in _NAMED else spec.dtype.name) + _shape_words(spec.shape)


def _shape_words(shape):
    if shape.rank is None:
        return "[...]"
    return "[" + ", ".join("?" if size is None else str(size) for size in shape.as_list()) + "]"


def _type_number(spec):
    shape = spec.shape
    sizes = () if shape.rank is None else tuple(-1 if size is None else size for size in shape.as_list())
    return module.type(spec.dtype.name, sizes)


def _object(held):
    """Its class and number: `Config#2`. One that is gone has given its address to others, its number to none."""
    kind = type(held).__name__
    seen = _objects.setdefault(kind, [])
    for number, reference in enumerate(seen, 1):
        if reference() is held:
            return f"{kind}#{number}"
    try:
        seen.append(weakref.ref(held))
    except TypeError:
        seen.append(lambda: held)
    return f"{kind}#{len(seen)}"


def argument_of(given, variables):
    """The argument that a TraceType describes; `variables` numbers those of one call."""
    kind = type(given).__name__
    if kind == "VariableSpec":
        alias = getattr(given, "alias_id", None)
        alias = variables.setdefault(alias, len(variables)) if alias is not None else 0
        words = f"{given.dtype.name}{_shape_words(given.shape)}" + ("" if given.trainable else " not trainable")
        return Argument(VARIABLE, words, _type_number(given), alias)
    if kind == "Literal":
        value = given.value
        if value is None:
            return Argument(NONE, "None")
        if isinstance(value, (bool, int, float, complex)):
            return Argument(NUMBER, repr(value))
        return Argument(TEXT, repr(value))
    if kind in ("List", "Tuple"):
        components = getattr(given, "components_tuple", given).components
        items = [(f"[{index}]", argument_of(item, variables)) for index, item in enumerate(components)]
        return Argument(LIST, f"{kind.lower()} of {len(items)}", items=items)
    if kind == "Attrs":
        given, kind = given.named_attributes, "NamedTuple"
    if kind == "NamedTuple":
        items = [(f".{key}", argument_of(item, variables)) for key, item in zip(given.attribute_names, given.attributes.components)]
        return Argument(MAP, given.type_name, items=items)
    if kind == "Dict":
        items = [(f"[{key!r}]", argument_of(item, variables)) for key, item in sorted(given.mapping.items(), key=lambda pair: str(pair[0]))]
        return Argument(MAP, "keys " + ", ".join(str(key) for key, _ in sorted(given.mapping.items(), key=lambda pair: str(pair[0]))), items=items)
    if kind in ("Weakref", "Reference"):
        held = given._ref() if kind == "Weakref" else getattr(given, "base", None)
        if kind == "Reference" and held is not None:
            inner = argument_of(held, variables)
            inner.words = f"{inner.words}#{given.identifier}" if inner.kind == OBJECT else inner.words
            return inner
        return Argument(OBJECT, _object(held))
    if hasattr(given, "shape") and hasattr(given, "dtype"):
        return Argument(TENSOR, _tensor_words(given), _type_number(given))
    return Argument(OBJECT, str(given)[:80])


def _write(name, kept, given, index):
    module.trace_argument(index, given.kind, name, kept.words, given.words, given.type, given.alias)
    index += 1
    for number, (suffix, item) in enumerate(given.items):
        before = kept.items[number][1] if number < len(kept.items) else item
        index = _write(name + suffix, before, item, index)
    return index


def context_words(context):
    """What a trace depends on besides its arguments, in words; None where a function is called as most are."""
    found = []
    if getattr(context, "in_cross_replica_context", False):
        found.append("in a strategy's scope")
    if devices := getattr(context, "device_functions", ()):
        found.append("on " + ", ".join(str(device) for device in devices))
    if getattr(context, "colocation_stack", ()):
        found.append("colocated")
    if getattr(context, "variable_policy", None) is not None:
        found.append("while a model is saved")
    if getattr(context, "xla_context_id", 0):
        found.append("in an XLA context")
    return ", ".join(found)[:80] or None


def note(kept, given, context=None):
    """Records the arguments of the call that was just traced: what the trace was made for and what the call gave."""
    index, variables, kept_variables = 0, {}, {}
    if words := context_words(context):
        module.trace_argument(index, CONTEXT, "context", words, words, NO_TYPE, 0)
        index += 1
    for name, parameter in given.parameters.items():
        if name == "self":
            continue
        mine = argument_of(parameter.type_constraint, variables)
        other = kept.parameters.get(name)
        theirs = argument_of(other.type_constraint, kept_variables) if other is not None else mine
        index = _write(name, theirs, mine, index)
