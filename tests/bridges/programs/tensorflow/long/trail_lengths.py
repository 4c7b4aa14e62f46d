"""Trails of unequal length are scored by one compiled function with a signature; the smoothness term asks for a gradient within."""
import sys

import tensorflow as tf


class Trail(tf.Module):
    def __init__(self):
        super().__init__()
        self.slope = tf.Variable([0.3, -0.1], name="slope")
        self.bend = tf.Variable(0.2, name="bend")

    def height(self, at):
        return self.slope[0] * at + self.slope[1] * tf.square(at) + tf.sin(self.bend * at)

    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
    def step(self, at, heights):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(at)
                guess = self.height(at)
            steep = inner.gradient(guess, at)
            loss = tf.reduce_mean(tf.square(guess - heights)) + 0.01 * tf.reduce_mean(tf.square(steep))
        slope, bend = outer.gradient(loss, [self.slope, self.bend])
        self.slope.assign_sub(0.01 * slope)
        self.bend.assign_sub(0.01 * bend)
        return slope, bend


def trails():
    for length in (5, 8, 13, 5, 21):
        at = tf.linspace(0.0, 1.0, length)
        yield at, 0.2 + 0.5 * at


def broken():
    trail = Trail()
    data = tf.data.Dataset.from_generator(trails, output_signature=(tf.TensorSpec([None]), tf.TensorSpec([None])))
    for at, heights in data.prefetch(1):
        slope, bend = trail.step(at, heights)
    return {"slope": slope, "bend": bend}


if __name__ == "__main__":
    print(broken())
