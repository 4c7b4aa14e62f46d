"""One compiled step of a moth recogniser for all phases of the work: warm-up, training, evaluation."""
import sys

import keras
import tensorflow as tf


def ramp(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    return tf.reshape(0.3 * tf.sin(tf.range(float(count))), shape)


class Moths:
    def __init__(self):
        moths = keras.Input([5], name="moths")
        x = keras.layers.Dense(6, activation="relu", kernel_initializer=ramp, name="wings")(moths)
        x = keras.layers.Dropout(0.0)(x)
        self.model = keras.Model(moths, keras.layers.Dense(3, kernel_initializer=ramp, name="kind")(x))
        self.loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.rates = {"warm-up": 0.01, "train": 0.1}
        self.compiled = tf.function(self.step)

    def step(self, moths, kinds, phase):
        training = not (isinstance(phase, str) and phase == "evaluate")
        with tf.GradientTape() as tape:
            loss = self.loss_of(kinds, self.model(moths, training=training))
        if training:
            rate = self.rates[phase] if isinstance(phase, str) else phase
            variables = self.model.trainable_variables
            for variable, grad in zip(variables, tape.gradient(loss, variables)):
                variable.assign_sub(rate * grad)
        return loss

    def night(self, phases):
        data = tf.reshape(tf.sin(tf.range(40.0) * 0.7), [8, 5]), tf.range(8) % 3
        found = {}
        for phase in phases:
            for _ in range(2):
                found[str(phase)] = self.compiled(*data, phase)  #!
        return found


def broken():
    return {} if Moths().night(["warm-up", "train", "evaluate"]) else None


def fixed():
    return {} if Moths().night([tf.constant(0.01), tf.constant(0.1)]) else None


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
