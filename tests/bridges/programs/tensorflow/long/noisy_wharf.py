"""Recordings of a wharf are made noisy in training by an amount that the model learns."""
import sys

import keras
import tensorflow as tf


def ladder(phase):
    return lambda shape, dtype=None: 0.4 * tf.reshape(tf.sin(1.6 * tf.range(shape[0] * shape[1], dtype=tf.float32) + phase), shape)


class LearnedNoise(keras.layers.Layer):
    def build(self, shape):
        self.amount = self.add_weight(name="amount", shape=(shape[-1],), initializer=keras.initializers.Constant(0.2))

    def call(self, sound, training=False):
        if training:  #!
            ripple = tf.sin(37.0 * sound + tf.range(sound.shape[-1], dtype=tf.float32))
            return sound + tf.nn.softplus(self.amount) * ripple
        return sound


class Wharf(keras.Model):
    def __init__(self):
        super().__init__(name="wharf")
        self.noise = LearnedNoise(name="noise")
        self.norm = keras.layers.LayerNormalization(name="norm", epsilon=1e-3)
        self.hear = keras.layers.Dense(8, activation="gelu", kernel_initializer=ladder(0.2), name="hear")
        self.name_it = keras.layers.Dense(3, kernel_initializer=ladder(1.4), name="name_it")

    def call(self, sound, training=False):
        sound = self.noise(sound, training=training)
        return self.name_it(self.hear(self.norm(sound)))


class Session:
    in_training = False

    def __init__(self):
        self.model = Wharf()
        self.optimizer = keras.optimizers.SGD(0.05)
        self.loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def recordings(self, hour):
        sound = tf.reshape(tf.sin(0.23 * tf.range(72.0) + hour), [12, 6])
        return sound, tf.range(12) % 3

    def hour(self, number):
        sound, source = self.recordings(number)
        with tf.GradientTape() as tape:
            named = self.model(sound, training=self.in_training)  #~
            loss = self.loss_of(source, named)
            loss += 1e-3 * tf.stop_gradient(tf.reduce_mean(tf.abs(named)))
        weights = self.model.trainable_variables
        gradients = tape.gradient(loss, weights)
        self.optimizer.apply_gradients([(g, w) for g, w in zip(gradients, weights) if g is not None])
        return {weight.path: gradient for weight, gradient in zip(weights, gradients)}


class TrainingSession(Session):
    in_training = True


def listen(session, hours=3):
    for number in range(hours):
        found = session.hour(number)
    return found


def broken():
    return listen(Session())


def fixed():
    return listen(TrainingSession())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
