"""Burning times of candles by a few experts; a table of functions says which expert answers for which wax."""
import sys

import tensorflow as tf


class Expert(tf.Module):
    def __init__(self, wax, place):
        super().__init__(name=wax)
        self.slope = tf.Variable(tf.fill([3, 1], 0.2 + 0.1 * place), name=f"{wax}_slope")  #!

    def __call__(self, candles):
        return tf.nn.softplus(candles @ self.slope)


WAXES = ("bees", "soy", "palm")


def table_of(experts):
    """Functions by wax."""
    table = {}
    for wax in WAXES:
        expert = experts[wax]
        table[wax] = lambda candles: expert(candles)  #~
    return table


def bound_table_of(experts):
    table = {}
    for wax in WAXES:
        table[wax] = lambda candles, expert=experts[wax]: expert(candles)
    return table


class Candles:
    def __init__(self):
        self.experts = {}
        for place, wax in enumerate(WAXES):
            self.experts[wax] = Expert(wax, place)  #~

    def shelves(self):
        for place, wax in enumerate(WAXES):
            candles = tf.reshape(tf.sin(tf.range(12.0) * 0.5 + float(place)), [4, 3])
            yield wax, candles, 1.0 + tf.reduce_sum(candles, axis=1, keepdims=True)

    def loss(self, table):
        misses = [tf.reduce_mean(tf.abs(table[wax](candles) - hours)) for wax, candles, hours in self.shelves()]
        return tf.add_n(misses)


def burn(make_table, rate=0.05):
    candles = Candles()
    table = make_table(candles.experts)
    sources = {f"{wax}_slope": expert.slope for wax, expert in candles.experts.items()}
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = candles.loss(table)
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            if grad is not None:
                sources[name].assign_sub(rate * grad)
    return grads


def broken():
    return burn(table_of)


def fixed():
    return burn(bound_table_of)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
