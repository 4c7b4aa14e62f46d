"""Casts a bell's model: one matrix of couplings, kept calm by two figures of how it answers."""
import sys

import tensorflow as tf

MODES = 12


def ring(couplings):
    return tf.reduce_mean(tf.square(tf.linalg.inv(tf.eye(MODES) - 0.3 * couplings)))  #~


def muffle(couplings):
    return tf.linalg.trace(tf.linalg.inv(tf.eye(MODES) - 0.3 * couplings))  #!


def penalties(couplings):
    return 0.01 * ring(couplings) + 0.001 * muffle(couplings)  #~


def shared_penalties(couplings):
    answer = tf.linalg.inv(tf.eye(MODES) - 0.3 * couplings)
    return 0.01 * tf.reduce_mean(tf.square(answer)) + 0.001 * tf.linalg.trace(answer)


def strike(hour):
    return tf.sin(tf.reshape(tf.range(5.0 * MODES), [5, MODES]) * 0.33 + hour)


def cast(penalty, hours=3):
    start = 0.3 * tf.eye(MODES) + 0.05 * tf.sin(tf.reshape(tf.range(float(MODES * MODES)), [MODES, MODES]))
    couplings = tf.Variable(start, name="couplings")
    damping = tf.Variable(0.9, name="damping")
    optimizer = tf.keras.optimizers.Adam(0.01)
    for hour in range(hours):
        struck = strike(float(hour))
        with tf.GradientTape() as tape:
            heard = damping * tf.tanh(struck @ couplings)
            loss = tf.reduce_mean(tf.square(heard - tf.roll(struck, 1, axis=1))) + penalty(couplings)
        grads = tape.gradient(loss, [couplings, damping])
        optimizer.apply_gradients(zip(grads, [couplings, damping]))
    return {"couplings": grads[0], "damping": grads[1]}


def broken():
    return cast(penalties)


def fixed():
    return cast(shared_penalties)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
