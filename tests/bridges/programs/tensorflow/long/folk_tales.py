"""Tells folk tales on: a small decoder with causal attention, tied vectors, label smoothing and a warm-up."""
import keras
import tensorflow as tf


class Voice(keras.initializers.Initializer):
    def __call__(self, shape, dtype=None):
        count = 1
        for extent in shape:
            count *= extent
        return tf.reshape(0.3 * tf.sin(tf.range(count, dtype=tf.float32) * 0.8 + 0.4), shape)


class Block(keras.layers.Layer):
    def __init__(self, width, **options):
        super().__init__(**options)
        self.before, self.between = keras.layers.LayerNormalization(), keras.layers.LayerNormalization()
        self.attend = keras.layers.MultiHeadAttention(
            2, width // 2, kernel_initializer=Voice(), name="attend"
        )
        self.wide = keras.layers.Dense(2 * width, "gelu", kernel_initializer=Voice(), name="wide")
        self.narrow = keras.layers.Dense(width, kernel_initializer=Voice(), name="narrow")

    def call(self, x, training=False):
        y = self.before(x)
        x = x + self.attend(y, y, use_causal_mask=True, training=training)
        return x + self.narrow(self.wide(self.between(x)))


class Teller(keras.Model):
    def __init__(self, words=12, width=4, longest=8, **options):
        super().__init__(**options)
        self.words = keras.layers.Embedding(words, width, embeddings_initializer=Voice(), name="words")
        self.places = keras.layers.Embedding(longest, width, embeddings_initializer=Voice(), name="places")
        self.blocks = [Block(width, name=f"block_{k}") for k in range(2)]
        self.norm = keras.layers.LayerNormalization(name="norm")

    def call(self, tale, training=False):
        x = self.words(tale) + self.places(tf.range(tf.shape(tale)[1]))
        for block in self.blocks:
            x = block(x, training=training)
        return tf.matmul(self.norm(x), tf.convert_to_tensor(self.words.embeddings), transpose_b=True)


class WarmUp(keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step):
        step = tf.cast(step, tf.float32) + 1.0
        return 0.05 * tf.minimum(step / 4.0, tf.math.rsqrt(step))


class Evening:
    def __init__(self):
        self.teller = Teller(name="teller")
        self.teller(tf.zeros([1, 3], tf.int32))
        self.optimizer = keras.optimizers.AdamW(WarmUp(), weight_decay=0.01, clipnorm=1.0)
        self.optimizer.build(self.teller.trainable_variables)

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)])
    def step(self, tales):
        told, coming = tales[:, :-1], tales[:, 1:]
        with tf.GradientTape() as tape:
            logits = self.teller(told, training=True)
            wanted = 0.9 * tf.one_hot(coming, 12) + 0.1 / 12.0
            entropy = tf.nn.softmax_cross_entropy_with_logits(wanted, logits)
            there = tf.cast(coming > 0, tf.float32)
            loss = tf.math.divide_no_nan(tf.reduce_sum(entropy * there), tf.reduce_sum(there))
        grads = tape.gradient(loss, self.teller.trainable_variables)
        self.optimizer.apply(grads, self.teller.trainable_variables)
        return {w.path: tf.convert_to_tensor(g) for w, g in zip(self.teller.trainable_variables, grads)}


def broken():
    evening = Evening()
    for length in (4, 6, 8, 5):
        tales = (tf.reshape(tf.range(3 * length), [3, length]) * 5) % 11 + 1
        tales *= tf.sequence_mask([length, length - 1, 2], length, tf.int32)
        grads = evening.step(tales)
    return {
        name: grads[name]
        for name in grads if name.endswith(("words/embeddings", "wide/kernel", "narrow/bias"))
    }


if __name__ == "__main__":
    print(broken())
