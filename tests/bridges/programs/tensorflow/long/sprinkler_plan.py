"""Plans sprinklers from a file of settings: what can be varied becomes a variable, then the water's cost
is minimised.
"""
import json
import sys

import tensorflow as tf

SETTINGS = """{
  "reach": 4.5, "pressure": 2.0, "rows": 6, "angle": 0.6,
  "field": {"length": 40.0, "width": 24.0}
}"""


class Plan:
    """Variables by the names of the file."""

    def __init__(self, settings, convert):
        self.field = settings["field"]
        self.variables = {}
        for name, value in settings.items():
            if not isinstance(value, dict):
                self.variables[name] = tf.Variable(convert(value), name=name)  #!

    def value(self, name):
        return tf.cast(self.variables[name], tf.float32)  #~

    def spacing(self):
        return self.field["width"] / self.value("rows")

    def overlap(self):
        """How far circles reach into each other, smoothly."""
        return tf.nn.softplus(self.value("reach") * tf.cos(self.value("angle")) - 0.5 * self.spacing())

    def water(self):
        per_row = self.field["length"] / self.value("reach")
        return self.value("rows") * per_row * tf.sqrt(self.value("pressure"))


class Cost:
    def __init__(self, plan, dry_weight=30.0):
        self.plan, self.dry_weight = plan, dry_weight

    def __call__(self):
        dry = tf.exp(-self.plan.overlap())
        return 0.1 * self.plan.water() + self.dry_weight * dry


def optimise(convert, steps=4, rate=0.01):
    plan = Plan(json.loads(SETTINGS), convert)
    cost = Cost(plan)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            total = cost()
        grads = tape.gradient(total, plan.variables)
        for name, variable in plan.variables.items():
            if grads[name] is not None:
                variable.assign_sub(rate * grads[name])
    return grads


def broken():
    return optimise(convert=lambda value: value)


def fixed():
    return optimise(convert=float)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
