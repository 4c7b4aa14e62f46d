"""Which of two clocks ticked? The odds of a hundred ticks are multiplied, tick by tick, and compared with one."""
import sys

import tensorflow as tf


class Clock:
    def __init__(self, period, jitter):
        self.period = tf.Variable(period, name="period")
        self.jitter = tf.Variable(jitter, name="jitter")

    def density(self, gaps):
        away = (gaps - self.period) / self.jitter
        return tf.exp(-0.5 * tf.square(away)) / (2.5066 * self.jitter)

    def log_density(self, gaps):
        away = (gaps - self.period) / self.jitter
        return -0.5 * tf.square(away) - tf.math.log(2.5066 * self.jitter)


def ticks(count=100):
    return 3.0 + 2.0 * tf.sin(tf.range(float(count)) * 1.7)


def product_loss(clock, gaps):
    together = tf.reduce_prod(clock.density(gaps))  #!
    return tf.square(1.0 - together)


def logarithmic_loss(clock, gaps):
    return -tf.reduce_mean(clock.log_density(gaps))


class Workshop:
    def __init__(self, loss):
        self.clock, self.loss = Clock(2.5, 1.5), loss
        self.velocity = {"period": 0.0, "jitter": 0.0}

    def adjust(self, gaps, rate=0.05, momentum=0.8):
        sources = {"period": self.clock.period, "jitter": self.clock.jitter}
        with tf.GradientTape() as tape:
            loss = self.loss(self.clock, gaps)
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            self.velocity[name] = momentum * self.velocity[name] - rate * grad
            sources[name].assign_add(self.velocity[name])
        return grads


def day(loss, rounds=3):
    workshop = Workshop(loss)
    for _ in range(rounds):
        grads = workshop.adjust(ticks())
    return grads


def broken():
    return day(product_loss)


def fixed():
    return day(logarithmic_loss)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
