"""Quarry blasts: gradients of four small batches are added up in variables, then the optimizer steps once."""

import keras
import tensorflow as tf


def rock(shape, dtype=None):
    return 0.3 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 1.2), shape)


class Accumulating:
    def __init__(self, model, every):
        self.model, self.every = model, every
        self.optimizer = keras.optimizers.Adam(0.02)
        self.sums = [tf.Variable(tf.zeros(v.shape), trainable=False) for v in model.trainable_variables]
        self.seen = tf.Variable(0, dtype=tf.int64, trainable=False)
        self.last = [tf.Variable(tf.zeros(v.shape), trainable=False) for v in model.trainable_variables]

    @tf.function(input_signature=[tf.TensorSpec([None, 5]), tf.TensorSpec([None, 1])])
    def step(self, charges, shakes):
        with tf.GradientTape() as tape:
            error = self.model(charges, training=True) - shakes
            loss = tf.reduce_mean(tf.square(error)) / float(self.every)
        grads = tape.gradient(loss, self.model.trainable_variables)
        for total, grad in zip(self.sums, grads):
            total.assign_add(grad)
        self.seen.assign_add(1)
        if self.seen % self.every == 0:
            self.optimizer.apply_gradients([(s.read_value(), v) for s, v in zip(self.sums, self.model.trainable_variables)])
            for total, last in zip(self.sums, self.last):
                last.assign(total)
                total.assign(tf.zeros_like(total))
        return loss


def broken():
    model = keras.Sequential(
        [
            keras.Input((5,)),
            keras.layers.Dense(4, "relu", kernel_initializer=rock, bias_initializer="ones", name="depth"),
            keras.layers.Dense(1, kernel_initializer=rock, name="shake"),
        ],
        name="quarry",
    )
    accumulating = Accumulating(model, every=4)
    accumulating.optimizer.build(model.trainable_variables)
    charges = tf.reshape(tf.sin(tf.range(40.0 * 5) * 0.27), [40, 5])
    shakes = tf.reduce_sum(charges, axis=1, keepdims=True)
    blasts = tf.data.Dataset.from_tensor_slices((charges, shakes)).batch(5).repeat(2)
    for charge, shake in blasts:
        accumulating.step(charge, shake)
    return {v.path: tf.identity(g) for v, g in zip(model.trainable_variables, accumulating.last)}


if __name__ == "__main__":
    print(broken())
