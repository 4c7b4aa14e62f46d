"""A speech codec with residual quantisation: each codebook codes what the books before it left over."""
import sys

import tensorflow as tf


class Codebook(tf.Module):
    def __init__(self, level, size=6, width=4):
        super().__init__(name=f"codebook_{level}")
        wave = tf.sin(tf.range(float(size * width)) * (1.0 + 0.3 * level))
        self.entries = tf.Variable(wave_scale(level) * tf.reshape(wave, [size, width]), name=f"book_{level}")

    def nearest(self, vectors):
        apart = tf.reduce_sum(tf.square(vectors[:, tf.newaxis] - self.entries), axis=-1)
        return tf.gather(self.entries, tf.argmin(apart, axis=1))  #~


def wave_scale(level):
    return 0.6 / 2.0 ** level


class Codec(tf.Module):
    def __init__(self, tolerances):
        super().__init__(name="codec")
        self.analysis = tf.Variable(0.6 * tf.reshape(tf.cos(tf.range(40.0) * 0.11), [10, 4]), name="analysis")
        self.synthesis = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(40.0)), [4, 10]), name="synthesis")
        self.books = [Codebook(level) for level in range(len(tolerances))]
        self.tolerances = tolerances

    def quantise(self, vectors):
        rest, quantised, commitment = vectors, tf.zeros_like(vectors), 0.0
        for book, tolerance in zip(self.books, self.tolerances):
            energy = tf.reduce_mean(tf.square(rest))
            if energy > tolerance:  #!
                nearest = book.nearest(rest)
                commitment += tf.reduce_mean(tf.square(tf.stop_gradient(rest) - nearest))
                quantised += nearest
                rest -= tf.stop_gradient(nearest)
        return vectors + tf.stop_gradient(quantised - vectors), commitment

    def loss(self, frames):
        codes, commitment = self.quantise(tf.tanh(frames @ self.analysis))
        return tf.reduce_mean(tf.square(codes @ self.synthesis - frames)) + commitment

    def sources(self):
        return {"analysis": self.analysis, "synthesis": self.synthesis,
                **{f"book_{k}": book.entries for k, book in enumerate(self.books)}}


def recordings(frames=12):
    time = tf.range(float(frames * 10))
    speech = tf.sin(time * 0.3) * tf.exp(-0.01 * time)
    return tf.data.Dataset.from_tensor_slices(tf.reshape(speech, [frames, 10])).batch(4)


def train(tolerances, rate=0.1):
    codec = Codec(tolerances)
    for frames in recordings().repeat(2):
        sources = codec.sources()
        with tf.GradientTape() as tape:
            loss = codec.loss(frames)
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            if grads[name] is not None:
                source.assign_sub(rate * tf.convert_to_tensor(grads[name]))
    return grads


def broken():
    return train((0.05, 0.1, 0.9))


def fixed():
    return train((0.05, 0.01, 0.001))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
