"""A hierarchical model of how far hedgehogs walk; the spread between gardens is learned with the gardens' means."""
import sys

import tensorflow as tf

WALKED = [[1.2, 1.5, 0.9], [2.4, 2.1, 2.6], [0.7, 0.4, 0.8], [1.9, 1.6, 1.8]]


def normal_log_density(value, mean, spread):
    return -0.5 * tf.square((value - mean) / spread) - tf.math.log(spread)


class Gardens:
    def __init__(self):
        self.overall = tf.Variable(1.0, name="overall")
        self.means = tf.Variable([1.0, 2.0, 0.8, 1.7], name="means")
        self.raw_between = tf.Variable(0.1, name="raw_between")
        self.raw_within = tf.Variable(-0.4, name="raw_within")
        self.between = tf.nn.softplus(self.raw_between)  #!

    def spread_between(self):
        return self.between

    def spread_within(self):
        return tf.nn.softplus(self.raw_within) + 1e-3

    def parameters(self):
        return [self.overall, self.means, self.raw_between, self.raw_within]

    def prior(self):
        pull = normal_log_density(self.means, self.overall, self.spread_between())
        return tf.reduce_sum(pull) + normal_log_density(self.overall, 1.0, 2.0)

    def likelihood(self, nights):
        seen = normal_log_density(nights, self.means[:, tf.newaxis], self.spread_within())
        return tf.reduce_sum(seen)


class FreshGardens(Gardens):
    def spread_between(self):
        return tf.nn.softplus(self.raw_between)


class Posterior:
    def __init__(self, model, nights):
        self.model, self.nights = model, tf.constant(nights)
        self.best = None

    def ascend(self, steps=12, rate=0.01):
        found = None
        for step in range(steps):
            with tf.GradientTape() as tape:
                joint = self.model.prior() + self.model.likelihood(self.nights)
            parameters = self.model.parameters()
            found = tape.gradient(joint, parameters)
            for parameter, slope in zip(parameters, found):
                if slope is not None:
                    parameter.assign_add(rate * slope)
            self.best = tf.stop_gradient(joint)
        return found


def fitted(model):
    names = ["overall", "means", "raw_between", "raw_within"]
    return dict(zip(names, Posterior(model, WALKED).ascend()))


def broken():
    return fitted(Gardens())


def fixed():
    return fitted(FreshGardens())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
