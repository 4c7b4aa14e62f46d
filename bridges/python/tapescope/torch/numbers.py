"""Values that left as Python numbers or NumPy arrays, so that they are known when they come back."""
from collections import OrderedDict

_MOST = 4096
_USUAL = frozenset((0.0, 1.0, 2.0, 0.5, 10.0, 100.0, 0.1, 0.01, 0.001))


class Read:
    """One read: the value, how, and where."""
    __slots__ = ("value", "op", "time")

    def __init__(self, value, op, time):
        self.value, self.op, self.time = value, op, time


class Numbers:
    def __init__(self, flow):
        self.flow = flow
        self.reads = []  # the last ones
        self._by_number = OrderedDict()

    def left(self, op, result):
        if not op.inputs:
            return
        read = Read(op.inputs[0], op, self.flow.time)
        self.reads.append(read)
        del self.reads[:-1024]
        for number in self._numbers(result):
            self._by_number[abs(number)] = read
            self._by_number.move_to_end(abs(number))
        while len(self._by_number) > _MOST:
            self._by_number.popitem(last=False)

    @staticmethod
    def _numbers(result):
        if isinstance(result, float):
            found = [result]
        elif isinstance(result, list):
            found, pending = [], [result]
            while pending and len(found) < 256:
                for item in pending.pop():
                    if isinstance(item, list):
                        pending.append(item)
                    elif isinstance(item, float):
                        found.append(item)
        elif getattr(getattr(result, "dtype", None), "kind", "") == "f" and hasattr(result, "flat"):
            found = [float(item) for item in result.flat[:256]] if result.size > 1 else [float(result)]
        else:
            found = []
        return [number for number in found if abs(number) not in _USUAL and number == number]

    def find(self, numbers):
        """(read, value) of numbers that left before."""
        found = []
        for number in numbers:
            read = self._by_number.get(abs(number))
            if read is not None and all(read is not other for other in found):
                found.append(read)
        return found
