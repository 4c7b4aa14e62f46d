"""Orders of mugs in a tavern: the same embedding of all guests is computed for each table."""
import sys

import tensorflow as tf


class Tavern(tf.Module):
    def __init__(self, guests=12):
        super().__init__(name="tavern")
        self.taste = tf.Variable(tf.reshape(0.1 * tf.sin(tf.range(guests * 4.0)), [guests, 4]), name="taste")
        self.mix = tf.Variable(0.2 * tf.eye(4), name="mix")

    def tastes(self):
        return tf.nn.l2_normalize(tf.tanh(self.taste @ self.mix), 1)


def at_table(tastes, seats):
    return tf.reduce_mean(tf.gather(tastes, seats), 0)


def per_table(tavern, tables):
    return tf.stack([at_table(tavern.tastes(), seats) for seats in tables])  #!


def all_tables(tavern, tables):
    tastes = tavern.tastes()
    return tf.stack([at_table(tastes, seats) for seats in tables])


def serve(orders, evenings=3):
    tavern = Tavern()
    optimizer = tf.keras.optimizers.SGD(0.1)
    weights = [tavern.taste, tavern.mix]
    for evening in range(evenings):
        tables = [tf.constant([k % 12, (k + 3) % 12, (2 * k + evening) % 12]) for k in range(8)]
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(orders(tavern, tables) - 0.1))
        grads = tape.gradient(loss, weights)
        optimizer.apply_gradients(zip(grads, weights))
    return {"taste": grads[0], "mix": grads[1]}


def broken():
    return serve(per_table)


def fixed():
    return serve(all_tables)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
