"""Which programs of a corpus run where time is short: one half of them is asked, a part of the other half runs in other ways, so that
none runs twice. All of them with TAPESCOPE_LONG.
"""
import os


def asked(programs, every=1):
    """One half of the programs, or one in `every` of that half."""
    programs = list(programs)
    return programs if "TAPESCOPE_LONG" in os.environ else programs[::2 * every]


def others(programs, every):
    """Of the other half one in `every`."""
    programs = list(programs)
    return programs if "TAPESCOPE_LONG" in os.environ else programs[1::2][::every]
