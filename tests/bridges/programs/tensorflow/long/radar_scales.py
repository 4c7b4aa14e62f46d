"""Finds hail cells on weather radar: a small convolutional net, trained at several sizes of the same picture."""
import sys

import keras
import tensorflow as tf

PICTURES = 2


def echo(shape, dtype=None):
    count = 1
    for side in shape:
        count *= side
    return 0.2 * tf.reshape(tf.cos(tf.range(float(count)) * 0.71), shape)


class HailNet(keras.Model):
    def __init__(self):
        super().__init__(name="hail")
        self.cells = keras.layers.Conv2D(4, 3, padding="same", activation="relu", kernel_initializer=echo, name="cells")
        self.hail = keras.layers.Conv2D(1, 1, kernel_initializer=echo, name="hail")

    def call(self, pictures):
        return self.hail(self.cells(pictures))


def make_step(model, optimizer, **options):
    @tf.function(**options)
    def scale_step(pictures, masks):  #~
        with tf.GradientTape() as tape:
            logits = model(pictures, training=True)
            losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=masks, logits=logits)
            loss = tf.reduce_mean(losses)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return loss, grads

    return scale_step


class Augmented:
    """The same pictures at sizes that go up and down."""

    def __init__(self, sides):
        self.sides = sides
        self.pictures = tf.reshape(tf.sin(tf.range(float(PICTURES * 24 * 24)) * 0.05), [PICTURES, 24, 24, 1])

    def __iter__(self):
        for side in self.sides:
            pictures = tf.image.resize(self.pictures, [side, side])  #~
            yield pictures, tf.cast(pictures > 0.6, tf.float32)


def storm(**options):
    model = HailNet()
    model(tf.zeros([1, 16, 16, 1]))
    optimizer = keras.optimizers.SGD(0.1)
    optimizer.build(model.trainable_variables)
    step = make_step(model, optimizer, **options)
    for pictures, masks in Augmented([16, 20, 24, 16, 20, 28]):
        loss, grads = step(pictures, masks)  #!
    return {w.path: g for w, g in zip(model.trainable_variables, grads)}


def broken():
    return storm()


def fixed():
    free = tf.TensorSpec([PICTURES, None, None, 1])
    return storm(input_signature=[free, free])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
