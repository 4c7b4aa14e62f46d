"""Growth of trout: each step trains on one pond and reports the error on another."""
import sys

import keras
import tensorflow as tf


def wave(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) + 0.4), shape)


def network():
    layers = [
        keras.Input((5,)),
        keras.layers.Dense(12, "tanh", kernel_initializer=wave, name="feed"),
        keras.layers.Dense(12, "tanh", kernel_initializer=wave, name="grow"),
        keras.layers.Dense(1, kernel_initializer=wave, name="weight"),
    ]
    return keras.Sequential(layers, name="trout")


def error(model, pond):
    water, weights = pond
    return tf.reduce_mean(tf.square(model(water) - weights))


def pond(day, shift):
    water = tf.reshape(tf.cos(tf.range(40.0) * 0.3 + day + shift), [8, 5])
    return water, tf.reduce_sum(water[:, :2], axis=1, keepdims=True)


def watched_step(model, day):
    with tf.GradientTape() as tape:
        loss = error(model, pond(day, 0.0))
        held = error(model, pond(day, 2.0))  #!
    return tape.gradient(loss, model.trainable_variables), loss, held


def plain_step(model, day):
    with tf.GradientTape() as tape:
        loss = error(model, pond(day, 0.0))
    held = error(model, pond(day, 2.0))
    return tape.gradient(loss, model.trainable_variables), loss, held


def farm(step, days=4):
    model, optimizer, history = network(), keras.optimizers.Adam(0.01), []
    for day in range(days):
        grads, loss, held = step(model, float(day))
        optimizer.apply(grads, model.trainable_variables)
        history.append((loss, held))
    print(tf.stack(history))
    return {v.path: g for v, g in zip(model.trainable_variables, grads) if "kernel" in v.path}


def broken():
    return farm(watched_step)


def fixed():
    return farm(plain_step)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
