"""Hive weights by regression, with a penalty that is handed to the compiled step."""
import sys

import tensorflow as tf

slope = tf.Variable([0.4, -0.3], name="slope")
hives = tf.constant([[1.0, 0.2], [0.5, 0.9], [0.3, 0.4]])
honey = tf.constant([0.8, 0.1, 0.3])


@tf.function
def penalized(hives, honey, penalty):
    miss = tf.linalg.matvec(hives, slope) - honey
    return tf.reduce_mean(tf.square(miss)) + penalty(slope)


def ridge(weights):
    return 0.01 * tf.reduce_sum(tf.square(weights))


def season(penalty_of):
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = penalized(hives, honey, penalty_of())  #!
        grad = tape.gradient(loss, slope)
    return {"slope": grad}


def broken():
    return season(lambda: lambda weights: 0.01 * tf.reduce_sum(tf.square(weights)))


def fixed():
    return season(lambda: ridge)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
