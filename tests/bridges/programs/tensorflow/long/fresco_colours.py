"""Restores the colours of a fresco: the picture is changed until its statistics are those of a sample."""
import sys

import tensorflow as tf


def filters():
    return 0.2 * tf.reshape(tf.sin(tf.range(3.0 * 3 * 3 * 8) * 1.3), [3, 3, 3, 8])


def statistics(picture, kernel):
    maps = tf.nn.relu(tf.nn.conv2d(picture[tf.newaxis], kernel, 1, "VALID")[0])
    flat = tf.reshape(maps, [-1, maps.shape[-1]])
    return tf.matmul(flat, flat, transpose_a=True) / flat.shape[0]


class Restoration:
    def __init__(self, sample, size=14):
        self.sample, self.kernel = sample, filters()
        self.picture = tf.Variable(0.5 + 0.1 * tf.reshape(tf.cos(tf.range(size * size * 3.0)), [size, size, 3]), name="picture")

    def wanted(self):
        return statistics(self.sample, self.kernel)  #!

    def loss(self):
        gap = statistics(self.picture, self.kernel) - self.wanted()  #~
        return tf.reduce_mean(tf.square(gap))

    def step(self, rate=0.4):
        with tf.GradientTape() as tape:
            loss = self.loss()
        grad = tape.gradient(loss, self.picture)
        self.picture.assign_sub(rate * grad)
        return {"picture": grad}


class PreparedRestoration(Restoration):
    def __init__(self, sample):
        super().__init__(sample)
        self.fixed = statistics(sample, self.kernel)

    def wanted(self):
        return self.fixed


def restore(kind, steps=5):
    sample = 0.5 + 0.4 * tf.reshape(tf.sin(tf.range(40.0 * 40 * 3) * 0.05), [40, 40, 3])
    work = kind(sample)
    for _ in range(steps):
        grads = work.step()
    return grads


def broken():
    return restore(Restoration)


def fixed():
    return restore(PreparedRestoration)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
