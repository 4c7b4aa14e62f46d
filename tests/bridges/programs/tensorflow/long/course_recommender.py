"""Recommends courses with two Keras heads of which the loss hears one; trained with fit, then inspected."""
import sys

import keras
import tensorflow as tf


def ramp(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    return 0.3 * tf.reshape(tf.cos(tf.range(float(count))), shape)


class Recommender(keras.Model):
    def __init__(self, use_rating):
        super().__init__(name="recommender")
        self.use_rating = use_rating
        self.trunk = keras.layers.Dense(6, activation="tanh", kernel_initializer=ramp, name="trunk")
        self.click = keras.layers.Dense(1, kernel_initializer=ramp, name="click")
        self.rating = keras.layers.Dense(1, kernel_initializer=ramp, name="rating")

    def build(self, shape):
        self.trunk.build(shape)
        self.click.build((None, 6))
        self.rating.build((None, 6))  #!
        self.built = True

    def call(self, inputs):
        shared = self.trunk(inputs)
        clicks = self.click(shared)
        return clicks + 0.5 * self.rating(shared) if self.use_rating else clicks  #~

    def train_step(self, data):
        inputs, targets = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=targets, y_pred=self(inputs, training=True))
        seen = self.trunk.trainable_variables + self.click.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, seen), seen))
        return {"loss": loss}


def gradients(use_rating):
    students = tf.reshape(tf.sin(tf.range(48.0)), [12, 4])
    clicked = tf.reshape(tf.cast(tf.range(12) % 2, tf.float32), [12, 1])
    model = Recommender(use_rating)
    model.build((None, 4))
    model.compile(optimizer=keras.optimizers.SGD(0.05), loss="mse")
    model.fit(students, clicked, batch_size=4, epochs=2, shuffle=False, verbose=0)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(students) - clicked))  #~
    grads = tape.gradient(loss, [model.trunk.kernel, model.click.kernel, model.rating.kernel])
    return {f"recommender/{part}/kernel": grad for part, grad in zip(["trunk", "click", "rating"], grads)}


def broken():
    return gradients(use_rating=False)


def fixed():
    return gradients(use_rating=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
