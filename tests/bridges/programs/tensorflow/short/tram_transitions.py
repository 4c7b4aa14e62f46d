"""Q-learning for a tram: each transition is an object, and the update is compiled."""
import sys

import tensorflow as tf


class Transition:
    def __init__(self, state, action, reward, following):
        self.state, self.action, self.reward, self.following = state, action, reward, following


values = tf.Variable(tf.zeros([4, 2]), name="values")


@tf.function
def learn(step, rate):
    target = step.reward + 0.9 * tf.reduce_max(tf.gather(values, step.following))
    error = target - tf.gather_nd(values, [[step.state, step.action]])
    values.scatter_nd_add([[step.state, step.action]], rate * error)
    return error


@tf.function
def learn_parts(state, action, reward, following, rate):
    return learn.python_function(Transition(state, action, reward, following), rate)


def ride(as_parts, stops=4):
    rate = tf.constant(0.5)
    for stop in range(stops):
        parts = tf.constant(stop % 4), tf.constant(stop % 2), tf.constant(float(stop)), tf.constant((stop + 1) % 4)
        if as_parts:
            learn_parts(*parts, rate)
        else:
            learn(Transition(*parts), rate)  #!
    return {}


def broken():
    return ride(as_parts=False)


def fixed():
    return ride(as_parts=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
