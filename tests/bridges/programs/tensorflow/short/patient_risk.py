"""Risk of a group of patients, summed patient by patient."""
import sys

import tensorflow as tf

patients = tf.reshape(tf.sin(tf.range(160.0)), [40, 4])
outcome = tf.cast(tf.range(40) % 3 == 0, tf.float32)


def gradients(risk):
    weights = tf.Variable([0.2, -0.1, 0.4, 0.3], name="weights")
    with tf.GradientTape() as tape:
        loss = risk(weights)
    return {"weights": tape.gradient(loss, weights)}


def one_by_one(weights):
    total = tf.constant(0.0)
    for k in range(40):
        score = tf.reduce_sum(patients[k] * weights)  #!
        total += tf.nn.sigmoid_cross_entropy_with_logits(outcome[k], score)  #~
    return total / 40.0


def batched(weights):
    scores = tf.linalg.matvec(patients, weights)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(outcome, scores))


def broken():
    return gradients(one_by_one)


def fixed():
    return gradients(batched)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
