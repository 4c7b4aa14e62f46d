"""Entries of a ledger are scored for an audit; a decorator keeps the history of every step for the report."""
import functools
import sys

import tensorflow as tf

HISTORY = []


def logged(read):
    """Keeps what a step returns, as `read` makes of it."""

    def wrap(step):
        @functools.wraps(step)
        def wrapped(*args):
            loss, grads = step(*args)
            HISTORY.append(read(loss))
            return grads

        return wrapped

    return wrap


def as_number(loss):
    return float(loss)  #!


def as_tensor(loss):
    return loss


class Auditor(tf.keras.Model):
    def __init__(self):
        super().__init__(name="auditor")
        self.hidden = tf.keras.layers.Dense(4, activation="tanh", kernel_initializer="ones", name="hidden")
        self.verdict = tf.keras.layers.Dense(1, kernel_initializer="ones", name="verdict")

    def call(self, entries):
        return self.verdict(self.hidden(entries))


def entries(batches=30):
    amounts = tf.reshape(tf.sin(tf.range(batches * 16.0) * 0.3), [batches * 4, 4])
    suspicious = tf.cast(amounts[:, :1] > 0.4, tf.float32)
    return tf.data.Dataset.from_tensor_slices((amounts, suspicious)).batch(4)


def audit(read):
    HISTORY.clear()
    auditor = Auditor()
    auditor.build([None, 4])
    optimizer = tf.keras.optimizers.SGD(0.05)

    @logged(read)
    @tf.function
    def step(amounts, suspicious):
        with tf.GradientTape() as tape:
            logits = auditor(amounts)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(suspicious, logits))
        grads = tape.gradient(loss, auditor.trainable_variables)
        optimizer.apply_gradients(zip(grads, auditor.trainable_variables))
        return loss, grads

    for amounts, suspicious in entries():
        grads = step(amounts, suspicious)  #~
    report = tf.stack(HISTORY)
    print("mean loss", float(tf.reduce_mean(report)))
    return {"auditor/hidden/kernel": grads[0], "auditor/verdict/kernel": grads[2]}


def broken():
    return audit(as_number)


def fixed():
    return audit(as_tensor)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
