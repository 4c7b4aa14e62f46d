"""Meta-learning of tide curves: the slow weights are copied, adapted to a harbour, and judged on its other days."""
import sys

import tensorflow as tf


def forward(weights, hours):
    hidden = tf.tanh(hours @ weights["in"] + weights["bias"])
    return hidden @ weights["out"]


def error(weights, hours, levels):
    return tf.reduce_mean(tf.square(forward(weights, hours) - levels))


class MetaLearner:
    def __init__(self, inner_rate=0.05, copies=True):
        self.slow = {
            "in": tf.Variable(tf.reshape(tf.linspace(-1.0, 1.0, 6), [1, 6]), name="slow_in"),
            "bias": tf.Variable(tf.linspace(0.5, -0.5, 6), name="slow_bias"),
            "out": tf.Variable(tf.reshape(tf.linspace(0.3, -0.6, 6), [6, 1]), name="slow_out"),
        }
        self.inner_rate, self.copies = inner_rate, copies

    def clone(self):
        if self.copies:
            return {name: tf.Variable(value) for name, value in self.slow.items()}  #!
        return {name: tf.identity(value) for name, value in self.slow.items()}

    def adapt(self, support, steps=2):
        fast = self.clone()
        for _ in range(steps):
            with tf.GradientTape() as inner:
                inner.watch(list(fast.values()))
                loss = error(fast, *support)
            grads = inner.gradient(loss, fast)
            fast = {name: value - self.inner_rate * tf.stop_gradient(grads[name]) for name, value in fast.items()}
        return fast

    def outer_step(self, tasks, rate=0.1):
        with tf.GradientTape() as outer:
            losses = [error(self.adapt(support), *query) for support, query in tasks]
            loss = tf.add_n(losses) / len(losses)
        grads = outer.gradient(loss, self.slow)
        for name, grad in grads.items():
            if grad is not None:
                self.slow[name].assign_sub(rate * grad)
        return grads


def harbours():
    tasks = []
    for phase in (0.0, 0.8, 1.6):
        hours = tf.reshape(tf.linspace(0.0, 3.0, 8), [8, 1])
        levels = tf.sin(hours + phase)
        tasks.append(((hours[:4], levels[:4]), (hours[4:], levels[4:])))
    return tasks


def meta_train(copies):
    learner = MetaLearner(copies=copies)
    for _ in range(2):
        grads = learner.outer_step(harbours())
    return {f"slow_{name}": grad for name, grad in grads.items()}


def broken():
    return meta_train(copies=True)


def fixed():
    return meta_train(copies=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
