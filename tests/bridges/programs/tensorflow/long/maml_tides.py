"""Model-agnostic meta-learning on tide curves: one inner step, then the outer loss after adaptation."""
import sys

import tensorflow as tf

INNER_RATE = 0.1


class Curve:
    def __init__(self):
        self.amplitude = tf.Variable(0.8, name="amplitude")
        self.phase = tf.Variable(0.3, name="phase")

    def predict(self, hours, amplitude, phase):
        return amplitude * tf.sin(hours + phase)

    def variables(self):
        return [self.amplitude, self.phase]


class Task:
    def __init__(self, height, shift):
        self.support = tf.linspace(0.0, 3.0, 6)
        self.query = tf.linspace(3.0, 6.0, 6)
        self.height, self.shift = height, shift

    def targets(self, hours):
        return self.height * tf.sin(hours + self.shift)


def error(curve, parameters, task, hours):
    return tf.reduce_mean(tf.square(curve.predict(hours, *parameters) - task.targets(hours)))


def adapt_in_place(curve, task, learner):
    with tf.GradientTape() as inner:
        support_loss = error(curve, curve.variables(), task, task.support)
    grads = inner.gradient(support_loss, curve.variables())
    for variable, fast, grad in zip(curve.variables(), learner, grads):
        fast.assign(variable - INNER_RATE * grad)  #!
    return learner


def adapt_as_tensors(curve, task, learner):
    with tf.GradientTape() as inner:
        support_loss = error(curve, curve.variables(), task, task.support)
    grads = inner.gradient(support_loss, curve.variables())
    return [variable - INNER_RATE * grad for variable, grad in zip(curve.variables(), grads)]


def meta_gradients(adapt):
    curve = Curve()
    learner = [tf.Variable(0.0, name="fast_amplitude"), tf.Variable(0.0, name="fast_phase")]
    with tf.GradientTape() as outer:
        losses = []
        for task in (Task(1.2, 0.1), Task(0.7, 0.9)):
            fast = adapt(curve, task, learner)
            losses.append(error(curve, fast, task, task.query))  #~
        meta_loss = tf.add_n(losses)
    return dict(zip(["amplitude", "phase"], outer.gradient(meta_loss, curve.variables())))


def broken():
    return meta_gradients(adapt_in_place)


def fixed():
    return meta_gradients(adapt_as_tensors)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
