"""Recognises trees by their bark: a small network is taught by a large one at a temperature that is to be tuned."""
import math
import sys

import tensorflow as tf


def table(rows, columns, speed):
    return tf.reshape(tf.sin(tf.range(float(rows * columns)) * speed), [rows, columns])


class Distiller:
    def __init__(self, temperature, fixed_scale):
        self.temperature = temperature
        self.teacher = table(5, 3, 1.1)
        self.student = tf.Variable(table(5, 3, 0.4), name="student")
        self.fixed_scale = fixed_scale

    def scale(self):
        if self.fixed_scale:
            return math.sqrt(float(self.temperature))  #!
        return tf.sqrt(self.temperature)

    @tf.function
    def loss(self, bark):
        scale = self.scale()  #~
        taught = tf.nn.softmax(tf.stop_gradient(bark @ self.teacher) / scale)
        logits = bark @ self.student / scale
        return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(taught, logits)) * scale * scale


def tune(fixed_scale):
    temperature = tf.constant(2.5)
    distiller = Distiller(temperature, fixed_scale)
    bark = table(10, 5, 0.23)
    for step in range(3):
        with tf.GradientTape() as tape:
            tape.watch(temperature)
            loss = distiller.loss(bark)
        grads = tape.gradient(loss, {"temperature": temperature, "student": distiller.student})
        distiller.student.assign_sub(0.2 * grads["student"])
    return grads


def broken():
    return tune(fixed_scale=True)


def fixed():
    return tune(fixed_scale=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
