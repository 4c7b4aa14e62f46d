"""Replaces attributes of a framework, and puts them back."""
import functools


class Patches:
    """What was replaced. A name that a version lacks turns off its feature: `missing` says which, in one sentence each."""

    def __init__(self):
        self._undo = []
        self.missing = []

    def set(self, owner, name, make, feature):
        """Puts make(original) in place of owner.name; `feature` says what is lost where there is no such name."""
        try:
            original = owner.__dict__[name] if isinstance(owner, type) else getattr(owner, name)
        except (AttributeError, KeyError):
            self.missing.append(f"{getattr(owner, '__name__', owner)}.{name} is missing in this version: {feature}")
            return None
        replaced = make(original)
        if callable(original) and callable(replaced) and replaced.__class__.__name__ == "function":
            functools.update_wrapper(replaced, original)
        setattr(owner, name, replaced)
        self._undo.append((owner, name, original, replaced))
        return original

    def on_undo(self, action):
        self._undo.append(action)

    def replaced(self):
        """(owner, name, original, what stands in its place) of each."""
        return [entry for entry in self._undo if not callable(entry)]

    def undo(self):
        """Puts back what is still ours: others may have replaced it in turn."""
        while self._undo:
            entry = self._undo.pop()
            if callable(entry):
                entry()
                continue
            owner, name, original, replaced = entry
            now = owner.__dict__.get(name) if isinstance(owner, type) else getattr(owner, name, None)
            if now is replaced:
                setattr(owner, name, original)
