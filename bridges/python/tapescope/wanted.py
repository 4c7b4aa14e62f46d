"""What the recording under way is to answer: said by who began it, read by a framework's hooks."""
import os

_state = {"why": False}


def why():
    """Whether it is to answer why a gradient is None, for which PyTorch's every call has to be seen."""
    return _state["why"]


def set_why(wanted):
    """None: as TAPESCOPE_WHY says."""
    _state["why"] = os.environ.get("TAPESCOPE_WHY", "") not in ("", "0") if wanted is None else bool(wanted)
