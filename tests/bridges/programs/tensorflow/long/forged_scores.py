"""Imitates folk scores: a composer and a critic, each with an optimizer and a tape of its own."""
import sys

import keras
import tensorflow as tf

BARS, NOTES, SEEDS = 10, 8, 4


def staff(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.67), shape)


def composer():
    return keras.Sequential(
        [
            keras.Input((SEEDS,)),
            keras.layers.Dense(12, "tanh", kernel_initializer=staff, name="motif"),
            keras.layers.Dense(NOTES, "tanh", kernel_initializer=staff, name="bar"),
        ],
        name="composer",
    )


def critic():
    return keras.Sequential(
        [
            keras.Input((NOTES,)),
            keras.layers.Dense(12, "gelu", kernel_initializer=staff, name="ear"),
            keras.layers.Dense(1, kernel_initializer=staff, name="verdict"),
        ],
        name="critic",
    )


class Duel:
    def __init__(self, own_tape):
        self.composer, self.critic, self.own_tape = composer(), critic(), own_tape
        self.composing, self.judging = keras.optimizers.Adam(2e-4), keras.optimizers.Adam(4e-4)
        self.entropy = keras.losses.BinaryCrossentropy(from_logits=True)

    def judge(self, real, seeds):
        with tf.GradientTape() as tape:
            forged = self.composer(seeds, training=True)  #!
            verdicts = self.critic(real, training=True), self.critic(tf.stop_gradient(forged), training=True)
            loss = self.entropy(tf.ones_like(verdicts[0]), verdicts[0]) + self.entropy(
                tf.zeros_like(verdicts[1]), verdicts[1]
            )
        weights = self.critic.trainable_variables
        self.judging.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return forged

    def compose(self, forged, seeds):
        with tf.GradientTape() as tape:  #~
            if self.own_tape:
                forged = self.composer(seeds, training=True)
            verdict = self.critic(forged, training=False)  #~
            loss = self.entropy(tf.ones_like(verdict), verdict)
        weights = self.composer.trainable_variables
        grads = tape.gradient(loss, weights)
        pairs = [(g, w) for g, w in zip(grads, weights) if g is not None]
        if pairs:
            self.composing.apply_gradients(pairs)
        return grads


def rehearse(own_tape):
    duel = Duel(own_tape)
    real = tf.reshape(tf.cos(tf.range(float(BARS * NOTES)) * 0.4), [BARS, NOTES])
    for step in range(3):
        seeds = tf.reshape(tf.sin(tf.range(float(BARS * SEEDS)) * 0.9 + step), [BARS, SEEDS])
        forged = duel.judge(real, seeds)
        grads = duel.compose(forged, seeds)
    return {w.path: g for w, g in zip(duel.composer.trainable_variables, grads)}


def broken():
    return rehearse(own_tape=False)


def fixed():
    return rehearse(own_tape=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
