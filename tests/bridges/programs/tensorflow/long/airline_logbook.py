"""Delays of an airline by a small network; the logbook keeps what each batch had as loss and as norm."""
import sys

import tensorflow as tf


class Logbook:
    def __init__(self, every):
        self.every, self.losses, self.held = every, [], []

    def note(self, batch, loss):
        self.held.append(loss)
        if (batch + 1) % self.every == 0:
            self.losses += [float(value.numpy()) for value in [tf.reduce_mean(tf.stack(self.held))]]  #!
            self.held.clear()


class Delays(tf.keras.Model):
    def __init__(self):
        super().__init__(name="delays")
        self.turn = tf.keras.layers.Dense(5, activation="tanh", kernel_initializer=tf.keras.initializers.Constant(0.1), name="turn")
        self.late = tf.keras.layers.Dense(1, kernel_initializer=tf.keras.initializers.Constant(0.3), name="late")

    def call(self, flights):
        return self.late(self.turn(flights))


def flights(batches):
    for batch in range(batches):
        rows = tf.sin(tf.reshape(tf.range(32.0), [8, 4]) * 0.3 + batch)
        yield rows, tf.reduce_mean(rows, axis=1, keepdims=True)


def operate(every, batches=40):
    model, book = Delays(), Logbook(every)
    model.build([None, 4])
    optimizer = tf.keras.optimizers.SGD(0.05)

    @tf.function
    def step(rows, late):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(rows) - late))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return loss, grads

    for batch, (rows, late) in enumerate(flights(batches)):
        loss, grads = step(rows, late)
        book.note(batch, loss)
    return {"delays/turn/kernel": grads[0], "delays/late/kernel": grads[2]}


def broken():
    return operate(every=1)


def fixed():
    return operate(every=40)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
