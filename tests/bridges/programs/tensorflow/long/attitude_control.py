"""Attitude of a small satellite: a recurrent controller over a few seconds of gyroscope readings, in one compiled step."""
import sys

import tensorflow as tf


class Controller(tf.Module):
    def __init__(self, width=4, spread=1.0):
        super().__init__(name="controller")
        grid = tf.range(float(width * 3))
        self.sense = tf.Variable(spread * tf.reshape(1.2 + tf.sin(grid), [3, width]), name="sense")
        self.carry = tf.Variable(0.1 * tf.eye(width), name="carry")
        self.torque = tf.Variable(0.2 * tf.ones([width, 1]), name="torque")

    def advance(self, state, rates):
        return tf.tanh(rates @ self.sense + state @ self.carry)  #!

    def __call__(self, readings):
        state = tf.zeros([tf.shape(readings)[1], 4])
        for second in range(readings.shape[0]):
            state = self.advance(state, readings[second])
        return state @ self.torque


@tf.function(reduce_retracing=True)
def train_step(controller, readings, wanted, rate):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(controller(readings) - wanted))
    weights = [controller.sense, controller.carry, controller.torque]
    grads = tape.gradient(loss, weights)
    for weight, grad in zip(weights, grads):
        weight.assign_sub(rate * grad)
    return loss, grads


def readings(orbit):
    return 2.0 + tf.reshape(tf.sin(tf.range(60.0) * 0.1 + orbit), [5, 4, 3])


def fly(spread, orbits=3):
    controller = Controller(spread=spread)
    history = []
    for orbit in range(orbits):
        loss, (sense, carry, torque) = train_step(controller, readings(orbit), tf.fill([4, 1], 0.25), tf.constant(0.01))
        history.append(float(loss))
    assert len(history) == orbits
    return {"sense": sense, "carry": carry, "torque": torque}


def broken():
    return fly(spread=12.0)


def fixed():
    return fly(spread=0.05)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
