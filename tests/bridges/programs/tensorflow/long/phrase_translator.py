"""A GRU translates phrases; the decoder is fed with what it said itself, word by word."""
import sys

import tensorflow as tf


class GRUCell:
    def __init__(self, width, name):
        grid = tf.reshape(tf.range(float(2 * width * 3 * width)), [2 * width, 3 * width])
        self.kernel = tf.Variable(0.5 * tf.sin(grid * 0.7), name=f"{name}_kernel")
        self.width = width

    def step(self, x, h):
        both = tf.concat([x, h], axis=1) @ self.kernel
        update, reset, candidate = tf.split(both, 3, axis=1)
        update, reset = tf.sigmoid(update), tf.sigmoid(reset)
        return update * h + (1.0 - update) * tf.tanh(candidate * reset)


class Translator:
    def __init__(self, words=7, width=4, soft=False):
        self.source_words = tf.Variable(tf.reshape(tf.cos(tf.range(float(words * width))), [words, width]), name="source_words")
        self.waves = tf.constant([0.3, 0.7, 1.1, 1.9])
        self.target_words = tf.sin(tf.range(float(words))[:, tf.newaxis] * self.waves)
        self.encoder = GRUCell(width, "encoder")
        self.speaker = tf.Variable(tf.reshape(tf.sin(tf.range(float(words * width)) * 1.9), [width, words]), name="speaker")
        self.scorer = tf.Variable(tf.ones([width, 1]) * 0.5, name="scorer")
        self.soft = soft

    def encode(self, phrase):
        state = tf.zeros([phrase.shape[0], self.encoder.width])
        for place in range(phrase.shape[1]):
            state = self.encoder.step(tf.gather(self.source_words, phrase[:, place]), state)
        return state

    def say(self, state):
        """The word said, as its vector."""
        logits = state @ self.speaker
        if self.soft:
            return tf.nn.softmax(2.0 * logits) @ self.target_words
        word = tf.cast(tf.argmax(logits, axis=1), tf.float32)  #!
        return tf.sin(word[:, tf.newaxis] * self.waves)  #~

    def fluency(self, vectors):
        centre = tf.stop_gradient(tf.reduce_mean(self.target_words, axis=0))
        return tf.reduce_mean(tf.squeeze((vectors - centre) @ self.scorer, axis=1))


def train(translator, epochs=2, rate=0.1):
    phrases = tf.data.Dataset.from_tensor_slices([[1, 3, 5], [2, 0, 6], [4, 4, 1], [6, 2, 3]]).batch(2)
    sources = {
        "encoder_kernel": translator.encoder.kernel,
        "speaker": translator.speaker,
        "scorer": translator.scorer,
    }
    for _ in range(epochs):
        for phrase in phrases:
            with tf.GradientTape() as tape:
                loss = -translator.fluency(translator.say(translator.encode(phrase)))
            grads = tape.gradient(loss, sources)
            for name, grad in grads.items():
                if grad is not None:
                    sources[name].assign_sub(rate * grad)
    return grads


def broken():
    return train(Translator())


def fixed():
    return train(Translator(soft=True))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
