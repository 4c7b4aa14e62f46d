"""The tangent kernel of a net that predicts muscle force: slopes of each output by all weights."""
import sys

import tensorflow as tf


class ForceNet(tf.Module):
    def __init__(self):
        super().__init__(name="force")
        self.fibre = tf.Variable(0.5 * tf.reshape(tf.sin(tf.range(15.0)), [3, 5]), name="fibre")
        self.tendon = tf.Variable(0.5 * tf.reshape(tf.cos(tf.range(5.0)), [5, 1]), name="tendon")

    def __call__(self, signals):
        return tf.squeeze(tf.nn.softplus(signals @ self.fibre) @ self.tendon, axis=1)


def flat(grads, rows):
    return tf.concat([tf.reshape(grad, [rows, -1]) for grad in grads], axis=1)


class TangentKernel:
    def __init__(self, net):
        self.net = net

    def features(self, signals):
        weights = [self.net.fibre, self.net.tendon]
        with tf.GradientTape(persistent=True) as tape:
            forces = tf.unstack(self.net(signals))
        rows = [flat(tape.gradient(force, weights), 1) for force in forces]  #!
        return tf.concat(rows, axis=0)

    def between(self, one, other):
        return tf.matmul(self.features(one), self.features(other), transpose_b=True)


class JacobianKernel(TangentKernel):
    def features(self, signals):
        with tf.GradientTape() as tape:
            forces = self.net(signals)
        return flat(tape.jacobian(forces, [self.net.fibre, self.net.tendon]), len(signals))


def regression(kernel, trials=24):
    """Predicts with the kernel, and asks how the prediction leans on the measured forces."""
    signals = tf.reshape(tf.sin(tf.range(trials * 3.0) * 0.3), [trials, 3])
    measured = tf.Variable(tf.cos(tf.range(float(trials)) * 0.5), name="measured")
    gram = kernel.between(signals, signals) + 0.1 * tf.eye(trials)
    with tf.GradientTape() as tape:
        share = tf.linalg.solve(gram, measured[:, tf.newaxis])
        evidence = tf.reduce_sum(measured[:, tf.newaxis] * share)
    return {"measured": tape.gradient(evidence, measured)}


def broken():
    return regression(TangentKernel(ForceNet()))


def fixed():
    return regression(JacobianKernel(ForceNet()))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
