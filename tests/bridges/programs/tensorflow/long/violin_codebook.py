"""Compresses recordings of violins to entries of a codebook; a decoder makes sound of the entries again."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.7), shape)


class Codec(tf.Module):
    def __init__(self):
        super().__init__(name="codec")
        self.encoder = tf.Variable(wave([6, 3]), name="encoder")
        self.codebook = tf.Variable(wave([5, 3]) + 0.1, name="codebook")
        self.decoder = tf.Variable(wave([3, 6]), name="decoder")

    def nearest(self, codes):
        far = tf.reduce_sum(tf.square(codes[:, tf.newaxis] - self.codebook[tf.newaxis]), axis=2)
        return tf.gather(self.codebook, tf.argmin(far, axis=1))


def commitment(codes, entries):
    return 0.25 * tf.reduce_mean(tf.square(codes - tf.stop_gradient(entries)))  #~


def straight(codes, entries):
    return codes + tf.stop_gradient(entries - codes)  #!


def parts(codec, sound):
    codes = sound @ codec.encoder
    entries = codec.nearest(codes)
    heard = straight(codes, entries) @ codec.decoder
    return tf.reduce_mean(tf.square(heard - sound)) + commitment(codes, entries), codes, entries


def without_codebook(codec, sound):
    return parts(codec, sound)[0]


def with_codebook(codec, sound):
    loss, codes, entries = parts(codec, sound)
    return loss + tf.reduce_mean(tf.square(tf.stop_gradient(codes) - entries))


def press(loss_of, sides=3):
    codec = Codec()
    optimizer = tf.keras.optimizers.SGD(0.1)
    sources = [codec.encoder, codec.codebook, codec.decoder]
    for side in range(sides):
        sound = tf.cos(tf.reshape(tf.range(48.0), [8, 6]) * 0.4 + side)
        with tf.GradientTape() as tape:
            loss = loss_of(codec, sound)
        grads = tape.gradient(loss, sources)
        optimizer.apply_gradients((g, v) for g, v in zip(grads, sources) if g is not None)
    return dict(zip(["encoder", "codebook", "decoder"], grads))


def broken():
    return press(without_codebook)


def fixed():
    return press(with_codebook)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
