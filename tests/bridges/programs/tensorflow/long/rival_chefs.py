"""Guests take the better of two dishes; each chef learns from those who ate."""
import sys

import tensorflow as tf


class Chef(tf.Module):
    def __init__(self, salt, base, name):
        super().__init__(name=name)
        self.salt = tf.Variable(salt, name=f"{name}_salt")
        self.base = base

    def taste(self, guests):
        return self.base + self.salt * guests


def pleasure(chefs, guests):
    dishes = tf.stack([chef.taste(guests) for chef in chefs])
    return tf.reduce_mean(tf.reduce_max(dishes, axis=0))  #!


def evening(base):
    chefs = [Chef(0.4, 2.0, "old"), Chef(0.5, base, "new")]
    guests = tf.linspace(0.1, 1.0, 8)
    salts = [chef.salt for chef in chefs]
    for _ in range(2):
        with tf.GradientTape() as tape:
            joy = pleasure(chefs, guests)
        grads = tape.gradient(joy, salts)
        for salt, grad in zip(salts, grads):
            salt.assign_add(0.01 * grad)
    return {"old_salt": grads[0], "new_salt": grads[1]}


def broken():
    return evening(0.5)


def fixed():
    return evening(1.95)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
