"""Focus of a lens by Newton's method in a compiled loop; the curvature may vanish."""
import sys

import tensorflow as tf


class Lens(tf.Module):
    def __init__(self, damping):
        super().__init__(name="lens")
        self.curve = tf.Variable(0.9, name="curve")
        self.glass = tf.Variable(1.5, name="glass")
        self.damping = damping

    def blur(self, focus):
        return self.curve * tf.pow(focus, 3) - self.glass * focus + 0.2

    def slope(self, focus):
        return 3.0 * self.curve * tf.square(focus) - self.glass

    @tf.function
    def focus(self, start):
        focus = start
        for _ in tf.range(4):
            slope = self.slope(focus)
            if self.damping:
                slope = tf.where(tf.abs(slope) < 0.1, 0.1, slope)
            focus = focus - self.blur(focus) / slope  #!
        return focus


def adjust(damping, rounds=3):
    lens = Lens(damping)
    for number in range(rounds):
        start = tf.sqrt(lens.glass / (3.0 * lens.curve)) if number == 2 else tf.constant(1.5)
        if number == 2:
            lens.curve.assign(0.5)
            lens.glass.assign(1.5)
            start = tf.constant([1.0, 1.4])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(lens.focus(start) - 1.2))  #~
        curve, glass = tape.gradient(loss, [lens.curve, lens.glass])
        lens.curve.assign_sub(0.01 * curve)
    return {"curve": curve, "glass": glass}


def broken():
    return adjust(False)


def fixed():
    return adjust(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
