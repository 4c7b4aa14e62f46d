"""Learns from few examples of each lagoon how to begin with a new one (a step inside a step)."""
import tensorflow as tf


class Lagoon:
    def __init__(self, number):
        self.phase = 0.5 * number

    def days(self, first):
        times = tf.linspace(first, first + 2.0, 8)
        return times, tf.sin(times + self.phase)


class Start(tf.Module):
    def __init__(self):
        super().__init__(name="start")
        self.wave = tf.Variable([0.5, 0.2, -0.1], name="wave")
        self.rate = tf.Variable(0.1, name="rate")

    def level(self, times, wave):
        return wave[0] * tf.sin(times) + wave[1] * tf.cos(times) + wave[2]

    def miss(self, lagoon, first, wave):
        times, levels = lagoon.days(first)
        return tf.reduce_mean(tf.square(self.level(times, wave) - levels))

    def adapted(self, lagoon):
        with tf.GradientTape() as inner:
            loss = self.miss(lagoon, 0.0, self.wave)
        return self.wave - self.rate * inner.gradient(loss, self.wave)


def learn(rounds=3, lagoons=5):
    start = Start()
    optimizer = tf.keras.optimizers.SGD(0.05)
    weights = [start.wave, start.rate]
    for _ in range(rounds):
        with tf.GradientTape() as outer:
            losses = [start.miss(lagoon, 2.0, start.adapted(lagoon)) for lagoon in map(Lagoon, range(lagoons))]
            loss = tf.add_n(losses) / lagoons
        grads = outer.gradient(loss, weights)
        optimizer.apply_gradients(zip(grads, weights))
    return {"wave": grads[0], "rate": grads[1]}


def broken():
    return learn()


if __name__ == "__main__":
    print(broken())
