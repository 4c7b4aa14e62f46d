"""Sugar of grapes from sun and rain; each parameter has a rate of its own, so each is updated in turn."""
import sys

import tensorflow as tf

RATES = {"sun": 0.05, "rain": 0.02, "slope": 0.01, "age": 0.001}


class Vineyard:
    def __init__(self):
        self.sun = tf.Variable(0.4 * tf.cos(tf.range(5.0)), name="sun")
        self.rain = tf.Variable(0.2 * tf.sin(tf.range(5.0)), name="rain")
        self.slope = tf.Variable(0.3, name="slope")
        self.age = tf.Variable(0.05, name="age")

    def sugar(self, sunny, rainy):
        warm = tf.nn.elu(tf.linalg.matvec(sunny, self.sun) * self.slope)
        wet = tf.tanh(tf.linalg.matvec(rainy, self.rain))
        return warm - wet + self.age


def one_at_a_time(vineyard, loss_of):
    with tf.GradientTape(persistent=True) as tape:  #~
        loss = loss_of(vineyard)
    return {name: tape.gradient(loss, getattr(vineyard, name)) for name in RATES}  #!


def all_at_once(vineyard, loss_of):
    with tf.GradientTape() as tape:
        loss = loss_of(vineyard)
    return tape.gradient(loss, {name: getattr(vineyard, name) for name in RATES})


def harvest(ask, years=4):
    vineyard = Vineyard()
    sunny = tf.abs(tf.sin(tf.reshape(tf.range(30.0), [6, 5])))
    rainy = tf.abs(tf.cos(tf.reshape(tf.range(30.0), [6, 5])))

    def loss_of(vineyard):
        return tf.reduce_mean(tf.square(vineyard.sugar(sunny, rainy) - 1.2))

    for _ in range(years):
        grads = ask(vineyard, loss_of)
        for name, rate in RATES.items():
            getattr(vineyard, name).assign_sub(rate * grads[name])
    return grads


def broken():
    return harvest(one_at_a_time)


def fixed():
    return harvest(all_at_once)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
