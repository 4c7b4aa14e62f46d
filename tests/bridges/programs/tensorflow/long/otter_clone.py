"""Finds otters in camera traps; a clone that starts anew is tried out beside the model that is trained."""
import sys

import keras
import tensorflow as tf

FUR = keras.initializers.Identity(0.4)


def finder():
    return keras.Sequential(
        [
            keras.Input((12,)),
            keras.layers.Dense(6, "tanh", kernel_initializer=FUR, use_bias=False, name="whisker"),  #!
            keras.layers.Dense(1, kernel_initializer=FUR, use_bias=False, name="otter"),  #!
        ],
        name="finder",
    )


class Trials:
    def __init__(self, model):
        self.model = model
        self.tried = keras.models.clone_model(model)  #~
        self.loss_of = keras.losses.BinaryCrossentropy(from_logits=True)

    def logits(self, frames):
        return self.tried(frames)  #~

    def step(self, frames, seen):
        with tf.GradientTape() as tape:
            loss = self.loss_of(seen, self.logits(frames))
        grads = tape.gradient(loss, self.model.trainable_variables)
        for variable, grad in zip(self.model.trainable_variables, grads):
            if grad is not None:
                variable.assign_sub(0.1 * grad)
        return {variable.path: grad for variable, grad in zip(self.model.trainable_variables, grads)}


class RightTrials(Trials):
    def logits(self, frames):
        return self.model(frames)


def nights(kind):
    frames = tf.reshape(tf.cos(tf.range(20.0 * 12) * 0.19), [20, 12])
    seen = tf.cast(tf.reduce_sum(frames, axis=1, keepdims=True) > 0.0, tf.float32)
    trials = kind(finder())
    for start in range(0, 20, 10):
        grads = trials.step(frames[start : start + 10], seen[start : start + 10])
    return grads


def broken():
    return nights(Trials)


def fixed():
    return nights(RightTrials)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
