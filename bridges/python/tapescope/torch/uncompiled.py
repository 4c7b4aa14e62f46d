"""Hooks of ours beside torch.compile, which compiles every Python function that runs below compiled code: it leaves them alone."""
import functools
import types

import torch
from torch._C._dynamo import eval_frame  # is there before torch._dynamo is imported, which takes seconds


def _leaver():
    """What says of code that it is not to be compiled; where a version has no such name the compiler may compile hooks, which costs time alone."""
    try:
        skip = eval_frame._FrameExecStrategy(eval_frame._FrameAction.SKIP, eval_frame._FrameAction.DEFAULT)  # of the frame, and of those that it calls
        strategy = eval_frame.set_code_exec_strategy
        return lambda code: strategy(code, skip)
    except AttributeError:
        return getattr(eval_frame, "skip_code", lambda code: None)


_leave = _leaver()


def left_alone(function):
    """The function itself, whose own frame is never compiled; what it calls may be."""
    _leave(function.__code__)
    return function


def uncompiled(action):
    """What runs `action` with the compiler off: neither it nor what it calls is compiled."""
    @functools.wraps(action)
    def call(*args, **kwargs):
        before = eval_frame.set_eval_frame(None)
        try:
            return action(*args, **kwargs)
        finally:
            eval_frame.set_eval_frame(before)
    return left_alone(call)


def untraced(action):
    """A hook that returns nothing and that the compiler meets in what it traces, such as an optimizer's step: nothing of it gets into the graph."""
    run = action if isinstance(action, types.BuiltinFunctionType) else uncompiled(action)  # builtin functions are never compiled

    def hook(*args, **kwargs):
        if not torch.compiler.is_compiling():
            run(*args, **kwargs)
    return left_alone(hook)
