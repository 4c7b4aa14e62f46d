"""A painting is changed until a detector of forgeries is deceived; its colours must stay within bounds."""
import sys

import tensorflow as tf


class Detector(tf.Module):
    def __init__(self):
        super().__init__(name="detector")
        self.brush = 0.3 * tf.reshape(tf.sin(tf.range(27.0)), [3, 3, 3, 1])

    def __call__(self, paintings):
        strokes = tf.nn.conv2d(paintings, self.brush, strides=1, padding="VALID")
        return tf.sigmoid(tf.reduce_mean(tf.nn.leaky_relu(strokes), axis=[1, 2, 3]))


class Forger:
    def __init__(self, start, detector):
        self.detector = detector
        self.canvas = tf.Variable(start, name="canvas")
        self.frame = tf.Variable(0.5, name="frame")
        self.optimizer = tf.keras.optimizers.SGD(2.0)

    def colours(self):
        return tf.clip_by_value(self.canvas, 0.0, 1.0)  #!

    def deceived(self):
        painting = self.colours()
        edge = tf.pad(painting, [[0, 0], [1, 1], [1, 1], [0, 0]]) + self.frame * 0.01
        return -tf.reduce_sum(tf.math.log(1.0 - self.detector(edge) + 1e-6))

    def step(self):
        weights = [self.canvas, self.frame]
        with tf.GradientTape() as tape:
            loss = self.deceived()
        grads = tape.gradient(loss, weights)
        self.optimizer.apply_gradients(zip(grads, weights))
        return {"canvas": grads[0], "frame": grads[1]}


def scanned():
    return tf.reshape(128.0 + tf.round(100.0 * tf.cos(tf.range(75.0))), [1, 5, 5, 3])


def paint(pixels):
    forger = Forger(pixels, Detector())
    return [forger.step() for _ in range(2)][-1]


def broken():
    return paint(scanned())


def fixed():
    return paint(scanned() / 255.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
