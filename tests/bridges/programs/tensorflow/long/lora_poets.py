"""Verses are scored by a frozen layer with a small update beside it, half of which starts at zero."""
import tensorflow as tf


class Updated(tf.keras.layers.Layer):
    def __init__(self, base, rank=2, **kwargs):
        super().__init__(**kwargs)
        self.base, self.rank = base, rank
        self.base.trainable = False

    def build(self, shape):
        self.down = self.add_weight(name="down", shape=(shape[-1], self.rank), initializer=tf.keras.initializers.Constant(0.3))
        self.up = self.add_weight(name="up", shape=(self.rank, self.base.units), initializer="zeros")

    def call(self, verses):
        return self.base(verses) + tf.matmul(tf.matmul(verses, self.down), self.up)


def verses(stanza):
    lines = tf.sin(tf.reshape(tf.range(20.0), [5, 4]) * 0.6 + stanza)
    return lines, tf.constant([[0.2], [0.8], [0.4], [0.9], [0.1]])


def broken():
    base = tf.keras.layers.Dense(1, kernel_initializer=tf.keras.initializers.Constant(0.25), name="frozen_verse")
    base.build([None, 4])
    score = Updated(base, name="poet")
    score.build([None, 4])
    optimizer = tf.keras.optimizers.SGD(0.2)
    for stanza in range(4):
        lines, liked = verses(float(stanza))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.keras.losses.binary_crossentropy(liked, score(lines), from_logits=True))
        grads = tape.gradient(loss, score.trainable_variables)
        optimizer.apply_gradients(zip(grads, score.trainable_variables))
    down, up = grads
    return {"poet/down": down, "poet/up": up}


if __name__ == "__main__":
    print(broken())
