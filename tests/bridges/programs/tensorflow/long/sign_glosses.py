"""Translates glosses of sign language to words: an encoder over the clip, and a decoder that is taught word by word."""
import sys

import keras
import tensorflow as tf

CLIPS, FRAMES, FEATURES, WORDS, UNITS, LENGTH = 4, 14, 10, 12, 8, 7


def ripple(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.61 + 0.3), shape)


class Encoder(keras.layers.Layer):
    def __init__(self):
        super().__init__(name="encoder")
        self.project = keras.layers.Dense(UNITS, "tanh", kernel_initializer=ripple, name="project")
        self.mix = keras.layers.Dense(UNITS, "tanh", kernel_initializer=ripple, name="mix")

    def call(self, clip):
        local = self.project(clip)
        around = tf.concat([local[:, :1], local[:, :-1]], axis=1)
        return self.mix(local + around)


class Decoder(keras.layers.Layer):
    def __init__(self):
        super().__init__(name="decoder")
        self.embed = keras.layers.Embedding(WORDS, UNITS, embeddings_initializer=ripple, name="embed")
        self.cell = keras.layers.Dense(UNITS, "tanh", kernel_initializer=ripple, name="cell")
        self.out = keras.layers.Dense(WORDS, kernel_initializer=ripple, name="out")

    def call(self, word, state, memory):
        query = self.embed(word) + state
        scores = tf.einsum("bu,bfu->bf", query, memory)
        context = tf.einsum("bf,bfu->bu", tf.nn.softmax(scores), memory)
        state = self.cell(tf.concat([query, context], axis=1))
        return self.out(state), state


class Translator(keras.Model):
    def __init__(self, encode_in_loop):
        super().__init__(name="translator")
        self.encoder, self.decoder, self.encode_in_loop = Encoder(), Decoder(), encode_in_loop

    def call(self, inputs):
        clip, sentence = inputs
        state = tf.zeros([tf.shape(clip)[0], UNITS])
        memory = None if self.encode_in_loop else self.encoder(clip)
        logits = []
        for place in range(LENGTH - 1):  #~
            if self.encode_in_loop:
                memory = self.encoder(clip)  #!
            word, state = self.decoder(sentence[:, place], state, memory)  #~
            logits.append(word)
        return tf.stack(logits, axis=1)


def teach(encode_in_loop):
    clip = tf.reshape(tf.cos(tf.range(float(CLIPS * FRAMES * FEATURES)) * 0.17), [CLIPS, FRAMES, FEATURES])
    sentence = tf.reshape(tf.range(CLIPS * LENGTH) * 5 % WORDS, [CLIPS, LENGTH])
    model = Translator(encode_in_loop)
    optimizer = keras.optimizers.Adam(1e-3)
    measure = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    for _ in range(2):
        with tf.GradientTape() as tape:
            logits = model((clip, sentence), training=True)  #~
            loss = measure(sentence[:, 1:], logits)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return {v.path: tf.convert_to_tensor(g) for v, g in zip(model.trainable_variables, grads)}


def broken():
    return teach(encode_in_loop=True)


def fixed():
    return teach(encode_in_loop=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
