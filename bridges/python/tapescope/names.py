"""Names that a program gave its tensors: arguments `name=`, variables of a frame, dict keys, attributes, Keras paths."""
import inspect
import re
import sys
import weakref

from tapescope import _tapescope as module

# What TensorFlow calls a variable that was given no name.
_NO_NAME = re.compile(r"^(Variable|variable)(_\d+)?$")
_given = {}  # by id of ours: what tapescope.name() said
namers = []  # of frameworks whose tensors have no ids here: (tensor, text) -> whether it was theirs
_FRAMES = 3  # the user's own, innermost first
_MOST_ITEMS = 256


def name(tensor, text):
    """Calls a tensor `text` in everything that is said about it; returns the tensor."""
    if not any(named(tensor, text) for named in namers) and not module.is_muted():
        number = module.find(tensor)
        if number:
            _given[number] = text
            module.name_given()
            module.tensor_name(number, text)
    return tensor


def given_name(variable):
    """The variable's `name=`; empty where it was given none."""
    text = getattr(variable, "name", "")
    text = text.split(":")[0] if isinstance(text, str) else ""
    return "" if _NO_NAME.match(text) else text


_paths = {}  # address of a variable that Keras made -> its path there, until it is gone


def note_path(variable, path):
    """Keras calls the variable `path`; TensorFlow calls those of several layers alike."""
    address = id(variable)
    _paths[address] = path
    weakref.finalize(variable, _paths.pop, address, None).atexit = False


def keras_path(variable):
    path = _paths.get(id(variable)) or getattr(variable, "path", "")
    return path if isinstance(path, str) and not _NO_NAME.match(path) else ""


def user_frames(frame=None):
    """The user's frames, the innermost first."""
    from tapescope.places import is_user
    frame = frame or module.frame()
    found = []
    while frame is not None and len(found) < _FRAMES:
        if is_user(frame.f_code.co_filename):
            found.append(frame)
        frame = frame.f_back
    return found


def asker():
    """The frame that called what Tapescope replaced, also where it is a library's."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("tapescope."):
        frame = frame.f_back
    return frame


def called_in(frame, item):
    """What a frame's variable that holds the object is called; an empty text for none."""
    return next((key for key, value in _variables(frame) if value is item), "") if frame is not None else ""


def _variables(frame):
    """What a frame's variables hold. Python 3.12 and older make a copy for the asking that lives as long as the frame: it is emptied, as it
    would keep tensors that the program has let go of; one that the program itself got from locals() is left alone."""
    held = frame.f_locals
    items = list(held.items())[:_MOST_ITEMS]
    if held is not frame.f_globals and type(held) is dict and frame.f_code.co_flags & inspect.CO_OPTIMIZED and sys.getrefcount(held) <= 3:
        held.clear()
    return items


class FrameNames:
    """What the variables of the user's frames hold, by identity. Made for one question, and dropped with it. `keyed`: a dict whose keys are names
    before all others."""

    def __init__(self, keyed=None):
        self.names = {}
        self.objects = []
        if keyed:
            self._take(keyed, "", 2)
        self._asked_by = set(self.names)
        for frame in user_frames():
            for key, value in _variables(frame):
                if not key.startswith("__"):
                    self._take(value, key, 2)
        for frame in user_frames()[:1]:
            if frame.f_code.co_name != "<module>":
                for key, value in list(frame.f_globals.items())[:_MOST_ITEMS]:
                    if not key.startswith("__"):
                        self._take(value, key, 1)

    def _take(self, value, text, depth):
        kind = _kind_of(value)
        if kind == _TENSOR:
            self._put(value, text)
            inner = getattr(value, "value", None)
            if not callable(inner) and _kind_of(inner) == _TENSOR:
                self._put(inner, text)
        elif depth == 0 or kind == _OTHER:
            return
        elif kind == _MAP:
            for key, item in list(value.items())[:_MOST_ITEMS]:
                self._take(item, str(key) if depth == 2 else f"{text}[{key!r}]", depth - 1)
        elif kind == _LIST:
            for index, item in enumerate(value[:_MOST_ITEMS]):
                self._take(item, f"{text}[{index}]", depth - 1)
        else:
            for key, item in list(vars(value).items())[:_MOST_ITEMS]:
                if not key.startswith("_"):
                    self._take(item, f"{text}.{key}", depth - 1)

    def _put(self, value, text):
        if id(value) not in self.names:
            self.names[id(value)] = text
            self.objects.append(value)

    def of(self, tensor):
        """The name of a source or target: the key by which the question names it, its Keras path, its `name=`, else that of what holds it."""
        number = module.find(getattr(tensor, "handle", tensor)) if _given else 0
        if number in _given:
            return _given[number]
        text = self.names.get(id(tensor), "")
        path = keras_path(tensor)
        if path:  # a loop's variable, or a key that stands for it elsewhere, says less than the layer
            return text if text and id(tensor) in self._asked_by else path
        return hasattr(tensor, "handle") and given_name(tensor) or text


def names_of(objects):
    """What the program calls tensors and variables where it stands; an empty text for what has no name."""
    names = FrameNames()
    return [names.of(item) for item in objects]


def number_of(item):
    """The id in records of a tensor or a variable, Keras' too; 0 where it has none."""
    inner = getattr(item, "value", None)
    item = inner if hasattr(inner, "handle") else item
    return module.find(getattr(item, "handle", item))


_OTHER, _TENSOR, _MAP, _LIST, _OBJECT = range(5)
_KINDS = {}  # by type: each question looks at all that the user's frames hold


def _kind_of(value):
    kind = type(value)
    known = _KINDS.get(kind)
    if known is None:
        known = _KINDS[kind] = _kind_of_type(kind)
    return known


def _kind_of_type(kind):
    from tapescope.places import is_user
    if hasattr(kind, "dtype") and hasattr(kind, "shape") and kind.__module__.split(".")[0] in ("tensorflow", "keras", "tf_keras"):
        return _TENSOR
    if issubclass(kind, dict):
        return _MAP
    if issubclass(kind, (list, tuple)):
        return _LIST
    source = getattr(sys.modules.get(kind.__module__), "__file__", None)
    users = kind.__module__ == "__main__" or (source is not None and is_user(source))
    return _OBJECT if users and getattr(kind, "__dictoffset__", 0) != 0 and not issubclass(kind, type) else _OTHER


def _is_users_object(value):
    return _kind_of(value) == _OBJECT
