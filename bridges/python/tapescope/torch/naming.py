"""What tensors are called: as the program's text reads their gradients, by the way from the variable that holds a model, else by the variable that holds them."""
import sys
import threading

import torch

from tapescope.names import _is_users_object, _variables
from tapescope.torch.asked import read_in, roots_in
from tapescope.torch.flow import is_user_code

_MOST_FRAMES = 8
_MOST_ITEMS = 256
# The lower, the better.
READ, MODEL, VARIABLE, ITEM, SELF, NOTHING = range(-1, 5)


class Names:
    """The names that the user's frames have for tensors, at one time. Holds no tensor. `standing`: as the innermost frame has them."""

    def __init__(self, frame, standing=False):
        self._found = {}  # id -> (rank, -length, name)
        self.models = {}  # by identity: the modules that variables hold
        depth = self._walk(frame, 0, standing)
        main = threading.main_thread()
        if not standing and threading.current_thread() is not main:  # which made what the other threads work on
            self._walk(sys._current_frames().get(main.ident), depth + _MOST_FRAMES, False)

    def _walk(self, frame, first, standing):
        """Takes what the frames hold, from a depth on; returns the depth that follows."""
        depth = first
        modules = {}  # by identity: the variables of the files that the frames' functions are of
        while frame is not None and depth < first + _MOST_FRAMES:
            code = frame.f_code
            if is_user_code(code) and (code.co_name == "<module>" or not code.co_name.startswith("<")):
                given = () if standing else code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
                held = dict(_variables(frame))
                for tensor, name in read_in(frame, held):
                    self._put(tensor, READ, 0, name, depth)
                roots = roots_in(code)
                for key, value in held.items():
                    if not key.startswith("__"):
                        # The variable of a caller that holds a tensor or a model says more than the argument that it is handed on as.
                        handed = key in given and isinstance(value, (torch.Tensor, torch.nn.Module))
                        # What the text reads of an object is read by the whole way, and so are its siblings.
                        self._take(value, key, 3, key == "self", -2 if key in roots else depth + _MOST_FRAMES * handed, whole=key in roots)
                depth += 1
                if code.co_name == "<module>":
                    modules.pop(id(frame.f_globals), None)
                else:
                    modules[id(frame.f_globals)] = frame.f_globals
            frame = frame.f_back
        for variables in modules.values():
            for key, value in list(variables.items())[:_MOST_ITEMS]:
                if not key.startswith("__"):
                    self._take(value, key, 2, False, depth)
        return depth

    def _put(self, tensor, rank, length, text, depth):
        key = (rank, -length if rank == MODEL else depth, depth)
        known = self._found.get(id(tensor))
        if known is None or key < known[0]:
            self._found[id(tensor)] = (key, text)

    def _take(self, value, text, levels, own, depth, item=False, whole=False):
        """`own`: the variable is self, which says nothing. `item`: an attribute of another object. `whole`: the variable that holds an object is part of the name."""
        if isinstance(value, torch.Tensor):
            self._put(value, VARIABLE if not item and "." not in text and "[" not in text else ITEM, 0, text, depth)
        elif isinstance(value, torch.nn.Module):
            value = getattr(value, "_orig_mod", value)  # of torch.compile
            self.models[id(value)] = value
            prefix = f"{text}."
            for name, tensor in list(value.named_parameters(remove_duplicate=False)) + list(value.named_buffers(remove_duplicate=False)):
                self._put(tensor, SELF if own else MODEL, name.count(".") + 1, prefix + name, depth)
            if own or levels > 1:
                for key, inner in list(vars(value).items())[:_MOST_ITEMS]:
                    if isinstance(inner, (torch.Tensor, list, tuple, dict)) and not key.startswith("_"):
                        self._take(inner, key if own else prefix + key, 1, False, depth, own)
        elif levels == 0 or value is None or isinstance(value, (str, bytes, int, float, type)):
            return
        elif isinstance(value, dict):
            for key, inner in list(value.items())[:_MOST_ITEMS]:
                self._take(inner, str(key) if levels == 3 and isinstance(key, str) and key.isidentifier() else f"{text}[{key!r}]", levels - 1, False, depth + 1, item)
        elif isinstance(value, (list, tuple)):
            for index, inner in enumerate(value[:_MOST_ITEMS]):
                if isinstance(inner, (torch.Tensor, torch.nn.Module, list, tuple, dict)):
                    self._take(inner, f"{text}[{index}]", levels - 1, False, depth + 1, item)
        elif _is_users_object(value):
            for key, inner in list(vars(value).items())[:_MOST_ITEMS]:
                if not key.startswith("_"):
                    # A variable that holds a model says more than what an object calls it.
                    held = isinstance(inner, torch.nn.Module)
                    if whole and not own:
                        self._take(inner, f"{text}.{key}", levels - 1, False, -1, True)
                    else:
                        self._take(inner, key, levels - 1, False, depth + (not own) + 2 * _MOST_FRAMES * held, True)

    def apply(self, tensor, who):
        """Gives the tensor the best name so far."""
        found = self._found.get(id(tensor))
        if found is not None and (not who.name or found[0][0] < who.strong):
            who.name, who.strong = found[1], found[0][0]

    def name_of(self, tensor):
        """The best name; empty without one."""
        found = self._found.get(id(tensor))
        return found[1] if found is not None else ""


def name_read(frame, tensor):
    """The name by which the text of a frame's function reads the tensor's gradient; empty where it has none."""
    return next((name for item, name in read_in(frame, dict(_variables(frame))) if item is tensor), "") if frame is not None else ""
