"""Soups: flavours are predicted from what is in the pot, and a functional model's branch for spices is detached by a Lambda."""
import sys

import keras
import tensorflow as tf


def pinch(shape, dtype=None):
    return 0.5 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) + 0.7), shape)


def dense(units, name, activation="tanh"):
    return keras.layers.Dense(units, activation=activation, kernel_initializer=pinch, use_bias=False, name=name)


def kitchen(detach):
    """Two inputs; the spice branch was once pretrained."""
    broth, spices = keras.Input((5,), name="broth"), keras.Input((3,), name="spices")
    warm = dense(6, "warm")(broth)
    sharp = dense(6, "sharp")(spices)
    if detach:
        sharp = keras.layers.Lambda(lambda x: tf.stop_gradient(x), name="hold")(sharp)  #!
    else:
        sharp = keras.layers.Activation("linear", name="hold")(sharp)
    both = keras.layers.Concatenate(name="both")([warm, sharp])
    return keras.Model({"broth": broth, "spices": spices}, dense(2, "taste", None)(both))


def pots():
    broth = tf.reshape(tf.cos(tf.range(32.0 * 5) * 0.3), [32, 5])
    spices = tf.reshape(tf.sin(tf.range(32.0 * 3) * 0.8), [32, 3])
    taste = tf.stack([tf.reduce_sum(broth, 1), tf.reduce_sum(spices, 1)], axis=1)
    return {"broth": broth, "spices": spices}, taste


def season(detach):
    model = kitchen(detach)
    loss_of = keras.losses.MeanSquaredError()
    model.compile("sgd", loss_of)
    pot, taste = pots()
    model.fit(pot, taste, batch_size=16, epochs=1, verbose=0, shuffle=False)
    # Which layers still learn?
    with tf.GradientTape() as tape:
        loss = loss_of(taste, model(pot, training=True))
    grads = tape.gradient(loss, model.trainable_weights)
    return {weight.path: grad for weight, grad in zip(model.trainable_weights, grads)}


def broken():
    return season(detach=True)


def fixed():
    return season(detach=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
