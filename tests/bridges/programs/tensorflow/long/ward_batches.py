"""Days a patient stays, from records of wards; a batch is an object that knows its records and their weights."""
import sys

import tensorflow as tf

PATIENTS, FACTS = 30, 4


class Batch:
    def __init__(self, records, stays, weights):
        self.records, self.stays, self.weights = records, stays, weights

    def parts(self):
        return self.records, self.stays, self.weights


class Stay(tf.Module):
    def __init__(self):
        super().__init__(name="stay")
        self.facts = tf.Variable(0.1 * tf.cos(tf.range(float(FACTS))), name="facts")
        self.base = tf.Variable(1.0, name="base")

    def __call__(self, records):
        return tf.exp(tf.linalg.matvec(records, self.facts)) * self.base


class Fit:
    def __init__(self, model, rate=0.05):
        self.model, self.rate = model, rate

    def improve(self, records, stays, weights):
        variables = [self.model.facts, self.model.base]
        with tf.GradientTape() as tape:
            misses = tf.square(self.model(records) - stays)
            loss = tf.reduce_sum(weights * misses) / tf.reduce_sum(weights)
        grads = tape.gradient(loss, variables)
        for variable, grad in zip(variables, grads):
            variable.assign_sub(self.rate * grad)
        return grads

    @tf.function
    def fit_batch(self, batch):  #~
        return self.improve(*batch.parts())

    @tf.function
    def fit_tensors(self, records, stays, weights):
        return self.improve(records, stays, weights)


def wards():
    records = tf.reshape(tf.sin(tf.range(float(PATIENTS * FACTS)) * 0.27), [PATIENTS, FACTS])
    stays = 2.0 + tf.reduce_sum(records, axis=1)
    weights = 1.0 + 0.5 * tf.cos(tf.range(float(PATIENTS)))
    for start in range(0, PATIENTS, 10):
        yield Batch(*(part[start : start + 10] for part in (records, stays, weights)))  #~


def study(spread):
    fit = Fit(Stay())
    for batch in wards():
        if spread:
            grads = fit.fit_tensors(*batch.parts())
        else:
            grads = fit.fit_batch(batch)  #!
    return dict(zip(["facts", "base"], grads))


def broken():
    return study(spread=False)


def fixed():
    return study(spread=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
