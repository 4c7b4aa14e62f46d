"""Prices for a ferry; each weekday the pricing object makes its compiled step anew."""
import functools
import sys

import tensorflow as tf


class Pricing:
    def __init__(self):
        self.slope = tf.Variable(-0.4, name="slope")
        self.base = tf.Variable(3.0, name="base")
        self.kept = None

    def income(self, price):
        return price * tf.nn.softplus(self.base + self.slope * price)

    def miss(self, price, income):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.income(price) - income))
        return tape.gradient(loss, [self.slope, self.base])

    def compiled(self, keep):
        if keep and self.kept is not None:
            return self.kept
        self.kept = tf.function(self.miss)
        return self.kept


def week(keep, days=4):
    pricing = Pricing()
    for day in range(days):
        price = tf.linspace(1.0, 6.0, 11) + 0.1 * day
        learn = pricing.compiled(keep)
        for _ in range(2):
            slope, base = learn(price, 4.0 + tf.sin(price))  #!
            pricing.slope.assign_sub(0.01 * slope)
            pricing.base.assign_sub(0.01 * base)
    return {"slope": slope, "base": base}


broken = functools.partial(week, keep=False)
fixed = functools.partial(week, keep=True)

if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
