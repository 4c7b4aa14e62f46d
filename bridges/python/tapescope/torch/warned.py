"""Warnings of PyTorch's C++ parts name the Python line that called them: the program's, not that of the hook between both."""
import os
import sys
import warnings

_OURS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


def install(patches):
    patches.set(warnings, "_showwarnmsg", _shown, "warnings name a line of the hooks")


def _shown(original):
    def show(message):
        frame = sys._getframe(1) if message.filename.startswith(_OURS) else None
        while frame is not None and frame.f_code.co_filename.startswith(_OURS):
            frame.f_globals.pop("__warningregistry__", None)  # there it was said once, for every line of the program
            frame = frame.f_back
        if frame is None:
            return original(message)
        warnings.onceregistry.pop((str(message.message), message.category), None)
        # Filters decide again, for the line that bare Python names.
        return warnings.warn_explicit(message.message, message.category, frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__"),
                                      frame.f_globals.setdefault("__warningregistry__", {}), None, message.source)
    return show
