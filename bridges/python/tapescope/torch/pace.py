"""Where the program begins its training steps."""

_MOST_PLACES = 1 << 14
_LEARNED = 16  # questions whose ways are looked at whole
_FRESH, _BEFORE_QUESTION, _BEFORE_UPDATE, _SEEKS = range(4)


class Pace:
    """A place is known by the question that followed it. After the update that follows its questions, or after a question where none follows, a known
    place begins the next step, or the way to another question of the same step. As Pace of torch_observer/state.h."""

    def __init__(self):
        self._state = _FRESH
        self._questions = 0
        self._since_update = 0  # questions
        self._most = 0  # of these between two; 0 before the first update
        self._since = set()
        self._leads_to = {}

    def meets(self, place):
        """An op at a place: the question to which it leads, where a step may begin there, else None; 0 at the first."""
        if self._state == _BEFORE_UPDATE or self._state == _BEFORE_QUESTION and self._questions >= _LEARNED:
            return None
        question = 0 if self._state == _FRESH else self._leads_to.get(place) if self._state == _SEEKS else None
        if question is not None:
            self._state = _BEFORE_QUESTION
            self._since.clear()
        if len(self._since) < _MOST_PLACES:
            self._since.add(place)
        return question

    def asked(self, question):
        for place in self._since:
            if len(self._leads_to) < _MOST_PLACES:
                self._leads_to.setdefault(place, question)
        self._since.clear()
        self._questions += 1
        self._since_update += 1
        self._state = _SEEKS if self._since_update > self._most else _BEFORE_UPDATE

    def updated(self):
        if self._since_update:
            self._most, self._since_update = max(self._most, self._since_update), 0
            self._since.clear()
            self._state = _SEEKS
