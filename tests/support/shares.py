"""Which programs of a corpus run where time is short: one half of them is asked, or as many as fit where the corpus is large, and a part
of the others runs in other ways, so that none runs twice. All of them with TAPESCOPE_LONG.
"""
import os

MOST = 250  # a check takes no longer as a corpus grows


def _step(programs):
    return max(2, -(-len(programs) // MOST))


def asked(programs, every=1):
    """One half of the programs, at most MOST, or one in `every` of these."""
    programs = list(programs)
    return programs if "TAPESCOPE_LONG" in os.environ else programs[::_step(programs) * every]


def others(programs, every):
    """Of as many others one in `every`."""
    programs = list(programs)
    return programs if "TAPESCOPE_LONG" in os.environ else programs[1::_step(programs)][::every]
