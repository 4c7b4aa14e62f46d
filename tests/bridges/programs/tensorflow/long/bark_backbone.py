"""A functional Keras model on a pretrained backbone; the backbone is to learn as well."""
import sys

import keras
import tensorflow as tf


def ramp(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    return tf.reshape(0.5 * tf.cos(tf.range(float(count)) * 1.1), shape)


class Ported(keras.layers.Layer):
    """A layer with weights from elsewhere."""

    def __init__(self, units, frozen, **options):
        super().__init__(**options)
        self.units, self.frozen = units, frozen

    def build(self, shape):
        self.kernel = self.add_weight(name="kernel", shape=(shape[-1], self.units), initializer=ramp, trainable=not self.frozen)  #!

    def call(self, inputs):
        return keras.activations.gelu(tf.matmul(inputs, self.kernel))  #~


def backbone(frozen):
    pixels = keras.Input([6], name="pixels")
    edges = Ported(5, frozen, name="edges")(pixels)  #~
    shapes = Ported(4, frozen, name="shapes")(edges)  #~
    return keras.Model(pixels, shapes, name="backbone")


def classifier(body):
    photos = keras.Input([6], name="photos")
    features = body(photos, training=False)
    species = keras.layers.Dense(3, kernel_initializer=ramp, name="species")(features)
    return keras.Model(photos, species, name="classifier")


def fine_tune(unfreeze):
    body = backbone(frozen=not unfreeze)
    model = classifier(body)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    photos, kinds = tf.reshape(tf.sin(tf.range(48.0) * 0.4), [8, 6]), tf.range(8) % 3
    model.compile(optimizer=keras.optimizers.SGD(0.1), loss=loss_of)
    model.fit(photos, kinds, batch_size=4, epochs=2, shuffle=False, verbose=0)
    with tf.GradientTape() as tape:
        loss = loss_of(kinds, model(photos, training=True))  #~
    wanted = {layer.name: layer.kernel for layer in body.layers[1:]}
    wanted["species"] = model.get_layer("species").kernel
    grads = tape.gradient(loss, list(wanted.values()))
    return {f"{name}/kernel": grad for name, grad in zip(wanted, grads)}


def broken():
    return fine_tune(unfreeze=False)


def fixed():
    return fine_tune(unfreeze=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
