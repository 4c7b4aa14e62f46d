"""Predicts wages from a large table of occupations; the first steps are warmed up by smaller gradients."""
import sys

import tensorflow as tf

OCCUPATIONS = 5000


def warm(grads, share):
    return [tf.multiply(grad, share) for grad in grads]  #!


def warm_rows(grads, share):
    return [tf.IndexedSlices(grad.values * share, grad.indices, grad.dense_shape) if isinstance(grad, tf.IndexedSlices)
            else grad * share for grad in grads]


def workers(month):
    ids = (tf.range(40) * 113 + month * 17) % OCCUPATIONS
    return ids, 0.5 + 0.2 * tf.sin(tf.range(40.0))


def employ(warmed, months=4):
    table = tf.Variable(tf.fill([OCCUPATIONS, 4], 0.1), name="occupations")
    pay = tf.Variable([0.4, 0.3, -0.2, 0.6], name="pay")
    optimizer = tf.keras.optimizers.SGD(0.3)
    for month in range(months):
        ids, wages = workers(month)
        with tf.GradientTape() as tape:
            guess = tf.linalg.matvec(tf.nn.embedding_lookup(table, ids), pay)
            loss = tf.reduce_mean(tf.square(guess - wages))
        grads = warmed(tape.gradient(loss, [table, pay]), (month + 1) / months)  #~
        optimizer.apply_gradients(zip(grads, [table, pay]))
    return {"pay": grads[1]}


def broken():
    return employ(warm)


def fixed():
    return employ(warm_rows)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
