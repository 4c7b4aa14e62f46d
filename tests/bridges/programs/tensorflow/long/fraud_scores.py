"""Fraud in card payments: a functional Keras model whose output is made a probability, trained by a loop of one's own."""
import sys

import tensorflow as tf

STARTS = tf.keras.initializers.Constant


def scorer(start):
    amount = tf.keras.Input([3], name="amount")
    mixed = tf.keras.layers.Dense(4, kernel_initializer=STARTS(0.5), activation="softplus", name="mixed")(amount)
    evidence = tf.keras.layers.Dense(1, kernel_initializer=STARTS(start), name="fraud")(mixed)
    return tf.keras.Model(amount, evidence, name="scorer")


def payments(day):
    amounts = 40.0 + 25.0 * tf.sin(tf.reshape(tf.range(18.0), [6, 3]) + day)
    frauds = tf.cast(tf.reduce_sum(amounts, axis=1, keepdims=True) > 1000.0, tf.float32)
    return amounts, frauds


class Desk:
    def __init__(self, start):
        self.model = scorer(start)
        self.entropy = tf.keras.losses.BinaryCrossentropy()
        self.optimizer = tf.keras.optimizers.Adam(0.01)

    def learn(self, amounts, frauds):
        with tf.GradientTape() as tape:
            guessed = tf.sigmoid(self.model(amounts, training=True))  #~
            loss = self.entropy(frauds, guessed)  #!
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        return grads


def work(start, days=2):
    desk = Desk(start)
    for day in range(days):
        grads = desk.learn(*payments(float(day)))
    return {variable.path: grad for variable, grad in zip(desk.model.trainable_variables, grads)}


def broken():
    return work(start=1.0)


def fixed():
    return work(start=0.01)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
