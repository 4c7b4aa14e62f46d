"""A small network of fern heights is fine-tuned by a loss of its own, in a loop of its own."""
import sys

import keras
import tensorflow as tf


def grown(scale):
    return lambda shape, dtype=None: scale * tf.reshape(tf.cos(0.8 * tf.range(shape[0] * shape[1], dtype=tf.float32)), shape)


def network():
    light = keras.Input((2,), name="light")
    hidden = keras.layers.Dense(5, activation="softplus", kernel_initializer=grown(0.6), name="leaf")(light)
    return keras.Model(light, keras.layers.Dense(1, kernel_initializer=grown(0.4), name="height")(hidden), name="ferns")


def asymmetric(height, guess):
    missed = height - guess
    return tf.reduce_mean(tf.maximum(0.8 * missed, -0.2 * missed))


def guess_with_predict(model, light):
    return model.predict(light, verbose=0)  #!


def guess_with_call(model, light):
    return model(light)


def tune(guess, rounds=2):
    model, scale = network(), tf.Variable(1.2, name="scale")
    light = tf.reshape(tf.linspace(0.1, 1.6, 16), [8, 2])
    height = tf.reduce_sum(light, axis=1, keepdims=True)
    watched = [scale, *model.trainable_variables]
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss = asymmetric(height, scale * guess(model, light))
        gradients = tape.gradient(loss, watched)
        for weight, gradient in zip(watched, gradients):
            if gradient is not None:
                weight.assign_sub(0.1 * gradient)
    return dict(zip(["scale", *(w.path for w in model.trainable_variables)], gradients))


def broken():
    return tune(guess_with_predict)


def fixed():
    return tune(guess_with_call)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
