"""Trains a tuner of instruments; the learning rate falls every epoch."""
import sys

import tensorflow as tf


class Tuner(tf.Module):
    def __init__(self):
        super().__init__(name="tuner")
        self.kernel = tf.Variable(tf.reshape(tf.sin(tf.range(12.0)), [4, 3]), name="kernel")
        self.bias = tf.Variable(tf.zeros([3]), name="bias")

    def __call__(self, sounds):
        return sounds @ self.kernel + self.bias


class Training:
    def __init__(self, model, as_tensor):
        self.model, self.as_tensor = model, as_tensor

    @tf.function
    def train_step(self, sounds, notes, *, rate, clip=None):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(notes, self.model(sounds)))
        grads = tape.gradient(loss, self.model.trainable_variables)
        if clip is not None:
            grads, _ = tf.clip_by_global_norm(grads, clip)
        for variable, grad in zip(self.model.trainable_variables, grads):
            variable.assign_sub(rate * grad)
        return loss

    def schedule(self, epoch, start=0.2, fall=0.5):
        rate = start * fall**epoch
        return tf.constant(rate) if self.as_tensor else rate

    def fit(self, data, epochs):
        history = []
        for epoch in range(epochs):
            total = tf.constant(0.0)
            for sounds, notes in data:
                total += self.train_step(sounds, notes, rate=self.schedule(epoch))  #!
            history.append(total)
        return history


def concert(as_tensor):
    sounds = tf.reshape(tf.cos(tf.range(32.0) * 0.7), [8, 4])
    data = tf.data.Dataset.from_tensor_slices((sounds, tf.range(8) % 3)).batch(4)
    training = Training(Tuner(), as_tensor)
    history = training.fit(data, epochs=3)
    assert history[-1] < history[0]
    return {}


def broken():
    return concert(as_tensor=False)


def fixed():
    return concert(as_tensor=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
