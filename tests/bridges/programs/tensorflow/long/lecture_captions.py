"""Captions of lectures: the loss counts words within the length of each caption, as a preparation step reports it."""
import sys

import tensorflow as tf


class Captioner(tf.Module):
    def __init__(self):
        super().__init__(name="captioner")
        self.hear = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(20.0)), [5, 4]), name="hear")
        self.write = tf.Variable(0.4 * tf.reshape(tf.cos(tf.range(24.0)), [4, 6]), name="write")

    def logits(self, sound):
        return tf.tanh(sound @ self.hear) @ self.write


def masked_loss(logits, words, lengths):
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(words, logits)
    mask = tf.sequence_mask(lengths, maxlen=tf.shape(words)[1], dtype=each.dtype)
    return tf.reduce_sum(each * mask) / (tf.reduce_sum(mask) + 1.0)  #!


def captions(count, divide):
    """Lengths are counted in samples of sound; a caption's word takes 400 of them."""
    for number in range(count):
        sound = tf.reshape(tf.sin(tf.range(60.0) * 0.2 + number), [3, 4, 5])
        words = tf.reshape((tf.range(12) + number) % 6, [3, 4])
        samples = tf.constant([1200, 400, 1600])
        yield sound, words, samples // (400 * divide)


def train(divide):
    model, optimizer = Captioner(), tf.keras.optimizers.Adam(0.01)
    for sound, words, lengths in captions(3, divide):
        with tf.GradientTape() as tape:
            loss = masked_loss(model.logits(sound), words, lengths)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return {weight.name[:-2]: grad for weight, grad in zip(model.trainable_variables, grads)}


def broken():
    return train(divide=400)


def fixed():
    return train(divide=1)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
