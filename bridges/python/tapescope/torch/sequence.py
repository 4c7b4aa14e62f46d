"""Numbers of the backward graph's nodes: PyTorch counts them on each thread by itself."""
import itertools
import threading

import torch

LEAF = (1 << 64) - 1  # sequence number of what adds to a leaf's gradient
_KEY = "tapescope"  # of a node's metadata: its number
_SHIFT = 40  # each thread of PyTorch counts its nodes from 0

_threads = itertools.count(1)


class _Thread(threading.local):
    """What belongs to one thread."""
    base = 0  # of its nodes' numbers
    question = 0  # number of the one under way

    def __init__(self):
        self.spoilt = []  # nodes that made the first values that are not finite, of the question under way


this_thread = _Thread()
_state = {"several": False}


def next_number():
    """The number of the node that the thread makes next."""
    return this_thread.base + torch.autograd._get_sequence_nr()


def number_of(node):
    """The number of a node, among those of all threads; LEAF of what adds to a leaf's gradient."""
    number = node._sequence_nr()
    if number == LEAF or not _state["several"]:
        return number
    return node.metadata.get(_KEY, this_thread.base + number)


def keep_number(node, number):
    """Notes the number at the node itself, as another thread, that begins later, may walk it."""
    node.metadata[_KEY] = number


def begin_question(number):
    this_thread.question, this_thread.spoilt = number, []


def begin_thread():
    """The nodes of a thread that begins have other numbers than those of all others."""
    _state["several"] = True
    this_thread.base = next(_threads) << _SHIFT
