"""Timetables of a ferry with clipped gradients: the norm is taken over all weights before each update."""
import sys

import numpy as np
import tensorflow as tf


class Timetable(tf.Module):
    def __init__(self):
        super().__init__(name="timetable")
        self.morning = tf.Variable(0.2 * tf.reshape(tf.sin(tf.range(20.0)), [5, 4]), name="morning")
        self.evening = tf.Variable(0.3 * tf.ones([4, 1]), name="evening")

    def __call__(self, passengers):
        return tf.nn.gelu(passengers @ self.morning) @ self.evening


def numpy_scale(grads, most):
    norm = np.sqrt(sum(np.sum(np.square(grad.numpy())) for grad in grads))  #!
    return tf.constant(min(1.0, most / norm), tf.float32)


def tensor_scale(grads, most):
    return tf.minimum(1.0, most / tf.linalg.global_norm(grads))


def sail(scale_of, trips=8):
    timetable = Timetable()
    weights = [timetable.morning, timetable.evening]
    for trip in range(trips):
        passengers = tf.cos(tf.reshape(tf.range(30.0), [6, 5]) * 0.3 + trip)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(timetable(passengers) - 2.0))
        grads = tape.gradient(loss, weights)
        scale = scale_of(grads, 0.5)
        for weight, grad in zip(weights, grads):
            weight.assign_sub(0.1 * scale * grad)
    return {"morning": grads[0], "evening": grads[1]}


def broken():
    return sail(numpy_scale)


def fixed():
    return sail(tensor_scale)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
