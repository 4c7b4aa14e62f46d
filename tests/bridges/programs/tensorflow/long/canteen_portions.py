"""Plans portions of a canteen: a functional Keras model predicts guests, and whole portions are cooked for
them.
"""
import sys

import keras
import tensorflow as tf


def menu(shape, dtype=None):
    return 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.8 + 0.6), shape)


def planner(rounded):
    day = keras.Input((5,), name="day")
    x = keras.layers.Dense(6, "softplus", kernel_initializer=menu, name="week")(day)
    guests = keras.layers.Dense(1, "softplus", kernel_initializer=menu, name="guests")(x)
    cooked = guests
    if rounded:
        cooked = keras.layers.Lambda(lambda g: tf.floor(g + 0.5), name="portions")(guests)  #!
    price = keras.layers.Dense(1, kernel_initializer=keras.initializers.Constant(1.5), name="price")(cooked)
    return keras.Model(day, {"cooked": cooked, "price": price}, name="planner")


class Kitchen:
    """Costs of food that is left over and of guests that get none."""

    def __init__(self, model, left=0.3, hungry=2.0):
        self.model, self.left, self.hungry = model, left, hungry

    def cost(self, day, came):
        plan = self.model(day, training=True)
        surplus = plan["cooked"] - came
        waste = self.left * tf.nn.softplus(surplus) + self.hungry * tf.nn.softplus(-surplus)
        return tf.reduce_mean(waste + 0.01 * plan["price"])

    def learn(self, days, epochs=2, rate=0.02):
        for _ in range(epochs):
            for day, came in days:
                with tf.GradientTape() as tape:
                    cost = self.cost(day, came)
                weights = self.model.trainable_weights
                grads = tape.gradient(cost, weights)
                for weight, grad in zip(weights, grads):
                    if grad is not None:
                        weight.assign(weight - rate * grad)
        return {weight.path: grad for weight, grad in zip(weights, grads)}


def term():
    day = tf.one_hot(tf.range(10) % 5, 5) + 0.1 * tf.reshape(tf.sin(tf.range(50.0)), [10, 5])
    came = 9.0 + 3.0 * tf.cos(tf.range(10.0))[:, tf.newaxis]
    return tf.data.Dataset.from_tensor_slices((day, came)).batch(5)


def broken():
    return Kitchen(planner(rounded=True)).learn(term())


def fixed():
    return Kitchen(planner(rounded=False)).learn(term())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
