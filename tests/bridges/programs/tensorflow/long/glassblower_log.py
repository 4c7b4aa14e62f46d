"""Cracks in blown glass from the course of its cooling; trains for a few epochs and prints how it goes."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.9), shape)


def kiln(batches=8):
    curves = tf.cos(tf.reshape(tf.range(batches * 4 * 6.0), [-1, 6]) * 0.21)
    cracks = tf.reduce_mean(tf.square(curves), axis=1, keepdims=True)
    return tf.data.Dataset.from_tensor_slices((curves, cracks)).batch(4)


class Trainer:
    def __init__(self):
        self.model = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(7, "tanh", kernel_initializer=wave, name="anneal"),
                tf.keras.layers.Dense(1, kernel_initializer=wave, name="crack"),
            ],
            name="glass",
        )
        self.optimizer = tf.keras.optimizers.Adam(0.01)
        self.grads = None

    def step(self, curves, cracks):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model(curves) - cracks))
        variables = self.model.trainable_variables
        self.grads = tape.gradient(loss, variables)
        self.optimizer.apply_gradients(zip(self.grads, variables))
        return loss

    def epoch(self, data):
        total, count = 0.0, 0
        for curves, cracks in data:
            total += self.step(curves, cracks).numpy()  #!
            count += 1
        return total / count


class QuietTrainer(Trainer):
    def epoch(self, data):
        losses = [self.step(curves, cracks) for curves, cracks in data]
        return tf.reduce_mean(tf.stack(losses)).numpy()


def work(trainer, epochs=3):
    data = kiln()
    for number in range(epochs):
        print("epoch", number, "loss", round(float(trainer.epoch(data)), 3), file=sys.stderr)
    return {"glass/anneal/kernel": trainer.grads[0], "glass/crack/kernel": trainer.grads[2]}


def broken():
    return work(Trainer())


def fixed():
    return work(QuietTrainer())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
