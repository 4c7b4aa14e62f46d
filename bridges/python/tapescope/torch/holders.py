"""Who keeps a tensor alive: the lists and dicts that hold it, by the file and name that the program knows them by."""
import gc
import types
from collections import deque

from tapescope.torch.flow import is_user_code

_MOST = 64


def containers(tensor):
    """(file, name) of the user's attributes, variables of files and variables of closures that hold a list, dict or deque with the tensor, or with a tuple that has it."""
    found = []
    for holder in _holders(tensor) if tensor is not None else ():
        for owner in gc.get_referrers(holder)[:_MOST]:
            found.extend(_named(owner, holder))
    return found


def collections_of(tensor):
    """Identities of the lists, dicts and deques that hold the tensor, or a tuple that has it."""
    return {id(holder) for holder in _holders(tensor)} if tensor is not None else set()


def _holders(item, depth=2):
    """Lists, dicts and deques that hold an object, itself or in a tuple."""
    for holder in gc.get_referrers(item)[:_MOST]:
        if type(holder) in (list, dict, deque) and gc.is_tracked(holder):
            yield holder
        elif isinstance(holder, tuple) and depth > 1:
            yield from _holders(holder, depth - 1)


def _named(owner, held):
    if isinstance(owner, types.CellType):
        for outer in gc.get_referrers(owner)[:_MOST]:
            for function in gc.get_referrers(outer)[:_MOST] if isinstance(outer, tuple) else ():
                if isinstance(function, types.FunctionType) and function.__closure__ is outer and is_user_code(function.__code__):
                    yield function.__code__.co_filename, function.__code__.co_freevars[outer.index(owner)]
        return
    if isinstance(owner, dict):
        file = owner.get("__file__")
        names = [key for key, value in owner.items() if value is held and isinstance(key, str)]
        if isinstance(file, str):
            yield from ((file, name) for name in names)
            return
        owner = next((outer for outer in gc.get_referrers(owner)[:_MOST] if getattr(outer, "__dict__", None) is owner), None)
    if isinstance(getattr(owner, "__dict__", None), dict):
        for kind in type(owner).__mro__:
            for function in vars(kind).values():
                if isinstance(function, types.FunctionType) and is_user_code(function.__code__):
                    yield from ((function.__code__.co_filename, name) for name, value in vars(owner).items() if value is held)
                    break
