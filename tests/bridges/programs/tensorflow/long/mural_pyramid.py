"""Restores a mural: the picture is fitted to a reference at several scales, coarse to fine."""
import sys

import tensorflow as tf

SIDE, LEVELS = 32, 3


def blur(picture):
    kernel = tf.reshape(tf.constant([1.0, 2.0, 1.0, 2.0, 4.0, 2.0, 1.0, 2.0, 1.0]) / 16.0, [3, 3, 1, 1])
    return tf.nn.conv2d(picture, kernel, 1, "SAME")  #~


def pyramid(picture):
    levels = [picture]
    for _ in range(LEVELS):
        levels.append(tf.nn.avg_pool2d(blur(levels[-1]), 2, 2, "SAME"))  #~
    return levels


class Restorer:
    def __init__(self, reference):
        self.reference = reference
        self.mural = tf.Variable(tf.zeros_like(reference), name="mural")
        self.tint = tf.Variable(0.1, name="tint")
        self.optimizer = tf.keras.optimizers.Adam(0.05)

    def goal(self):
        return pyramid(self.reference)  #!

    def loss(self):
        seen = pyramid(self.mural + self.tint)
        return tf.add_n([tf.reduce_mean(tf.square(a - b)) for a, b in zip(seen, self.goal())])  #~

    def restore(self, rounds=4):
        for _ in range(rounds):
            with tf.GradientTape() as tape:
                loss = self.loss()
            grads = tape.gradient(loss, [self.mural, self.tint])
            self.optimizer.apply_gradients(zip(grads, [self.mural, self.tint]))
        return {"mural": grads[0], "tint": grads[1]}


class PreparedRestorer(Restorer):
    def __init__(self, reference):
        super().__init__(reference)
        self.levels = pyramid(reference)

    def goal(self):
        return self.levels


def reference():
    rows, columns = tf.meshgrid(tf.range(float(SIDE)), tf.range(float(SIDE)), indexing="ij")
    return tf.reshape(0.5 + 0.3 * tf.sin(rows * 0.4) * tf.cos(columns * 0.3), [1, SIDE, SIDE, 1])


def broken():
    return Restorer(reference()).restore()


def fixed():
    return PreparedRestorer(reference()).restore()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
