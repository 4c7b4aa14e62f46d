"""Dust around a quarry, measured at a point, on a line or on a grid; the function was relaxed against retraces."""
import sys

import tensorflow as tf


class Plume(tf.Module):
    def __init__(self):
        super().__init__(name="plume")
        self.spread = tf.Variable(1.5, name="spread")
        self.source = tf.Variable(4.0, name="source")

    def dust(self, distance):
        return self.source * tf.exp(-tf.square(distance / self.spread))

    @tf.function(reduce_retracing=True)
    def gradients(self, distance, dust):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.dust(distance) - dust))
        return tape.gradient(loss, [self.spread, self.source])


def campaigns():
    yield tf.constant(0.5)
    yield tf.linspace(0.1, 2.0, 8)
    yield tf.reshape(tf.linspace(0.1, 3.0, 12), [3, 4])


def survey(prepare):
    plume = Plume()
    for distance in campaigns():
        distance = prepare(distance)
        spread, source = plume.gradients(distance, 3.0 * tf.exp(-distance))  #!
        plume.spread.assign_sub(0.05 * spread)
        plume.source.assign_sub(0.05 * source)
    return {"spread": spread, "source": source}


def broken():
    return survey(lambda distance: distance)


class FlatPlume(Plume):
    pass


def fixed():
    plume = FlatPlume()
    learn = tf.function(plume.gradients.python_function, input_signature=[tf.TensorSpec([None])] * 2)
    for distance in campaigns():
        distance = tf.reshape(distance, [-1])
        spread, source = learn(distance, 3.0 * tf.exp(-distance))
        plume.spread.assign_sub(0.05 * spread)
        plume.source.assign_sub(0.05 * source)
    return {"spread": spread, "source": source}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
