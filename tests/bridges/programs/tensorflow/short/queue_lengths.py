"""Waiting times at a counter: the number of people in the queue is handed to a compiled function."""
import sys

import tensorflow as tf

rate = tf.Variable(0.4, name="rate")


@tf.function
def waiting(service, people):
    return tf.reduce_sum(service) * tf.cast(people, tf.float32) / (1.0 - rate)


def day(as_tensor):
    queues, total = [[3.0, 2.5], [4.0, 1.0], [2.0, 2.0], [1.5, 3.0]], 0.0
    for hour, queue in enumerate(queues):
        people = len(queue) + hour
        total += waiting(tf.constant(queue), tf.constant(people) if as_tensor else people)  #!
    return {}


def broken():
    return day(as_tensor=False)


def fixed():
    return day(as_tensor=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
