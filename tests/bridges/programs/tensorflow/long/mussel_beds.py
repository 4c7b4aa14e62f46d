"""Growth of mussels: an embedding of places, several losses added up, weights decayed by hand; all is well."""
import sys

import tensorflow as tf


class Beds(tf.keras.Model):
    def __init__(self):
        super().__init__(name="beds")
        self.places = tf.keras.layers.Embedding(5, 3, embeddings_initializer="ones", name="places")
        self.tides = tf.keras.layers.Dense(3, kernel_initializer=tf.keras.initializers.Constant(0.2), name="tides")
        self.size = tf.keras.layers.Dense(1, kernel_initializer=tf.keras.initializers.Constant(0.4), name="size")

    def call(self, place, tide, training=False):
        shore = self.places(place) * tf.nn.gelu(self.tides(tide))
        if training:
            shore = shore + 0.01 * tf.stop_gradient(tf.sign(shore))
        return self.size(shore)[:, 0]


def decay(weights, by):
    return by * tf.add_n([tf.reduce_sum(tf.square(weight)) for weight in weights])


def step(model, optimizer, place, tide, sizes):
    with tf.GradientTape() as tape:
        guess = model(place, tide, training=True)
        miss = tf.reduce_mean(tf.where(sizes > 0.0, tf.square(guess - sizes), 0.0))
        loss = miss + decay(model.trainable_variables[1:], 0.001)
    grads = tape.gradient(loss, model.trainable_variables)
    grads = [tf.convert_to_tensor(grad) for grad in grads]
    clipped, _ = tf.clip_by_global_norm(grads, 5.0)
    optimizer.apply_gradients(zip(clipped, model.trainable_variables))
    return grads


def broken():
    model, optimizer = Beds(), tf.keras.optimizers.AdamW(0.01)
    for season in range(3):
        place = tf.constant([0, 1, 2, 3, 4, 0]) if season != 1 else tf.constant([4, 3, 2, 1, 0, 1])
        tide = tf.reshape(tf.sin(tf.range(12.0) + season), [6, 2])
        sizes = tf.constant([0.4, 0.0, 0.7, 0.2, 0.9, 0.5])
        grads = step(model, optimizer, place, tide, sizes)
    names = ("places/embeddings", "tides/kernel", "tides/bias", "size/kernel", "size/bias")
    return {f"beds/{name}": grad for name, grad in zip(names, grads)}


if __name__ == "__main__":
    print(broken())
