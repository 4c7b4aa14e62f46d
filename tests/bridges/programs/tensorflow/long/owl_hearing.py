"""Two ears of an owl share an encoder; the targets for the contrast are detached as a whole structure."""
import sys

import tensorflow as tf


class Ear(tf.Module):
    def __init__(self, name, phase):
        super().__init__(name=name)
        self.drum = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(24.0) + phase), [6, 4]), name=f"{name}_drum")

    def __call__(self, sound):
        heard = tf.tanh(sound @ self.drum)
        return {"early": heard[:, :2], "late": heard[:, 2:]}


class Owl:
    def __init__(self):
        self.left, self.right = Ear("left", 0.0), Ear("right", 1.0)
        self.scale = tf.Variable(1.5, name="scale")

    def detach(self, features):
        return tf.nest.map_structure(tf.stop_gradient, features)  #!

    def targets(self, sound):
        return self.detach(self.right(sound))  #~

    def miss(self, sound):
        heard, wanted = self.left(sound), self.targets(sound)
        differences = tf.nest.map_structure(lambda a, b: tf.reduce_mean(tf.square(self.scale * a - b)), heard, wanted)
        return tf.add_n(tf.nest.flatten(differences))


class LearningOwl(Owl):
    def targets(self, sound):
        self.detach(self.left(sound))
        return self.right(sound)


def night(owl):
    weights = {"left_drum": owl.left.drum, "right_drum": owl.right.drum, "scale": owl.scale}
    for hour in range(3):
        sound = tf.reshape(tf.cos(tf.range(30.0) * 0.2 + hour), [5, 6])
        with tf.GradientTape() as tape:
            loss = owl.miss(sound)
        grads = tape.gradient(loss, weights)
        for name, grad in grads.items():
            if grad is not None:
                weights[name].assign_sub(0.1 * grad)
    return grads


def broken():
    return night(Owl())


def fixed():
    return night(LearningOwl())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
