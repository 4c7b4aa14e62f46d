"""Trains on patients' records in private: each patient's gradient is clipped before they are added up."""
import sys

import tensorflow as tf


class RiskModel(tf.Module):
    def __init__(self):
        super().__init__(name="risk")
        self.body = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(20.0)), [4, 5]), name="body")
        self.risk = tf.Variable(0.4 * tf.cos(tf.range(5.0))[:, tf.newaxis], name="risk")

    def weights(self):
        return {"body": self.body, "risk": self.risk}

    def losses(self, records, ill):
        logits = tf.squeeze(tf.nn.gelu(records @ self.body) @ self.risk, axis=1)
        return tf.nn.sigmoid_cross_entropy_with_logits(ill, logits)


def clipped(grads, limit):
    """Gradients of one patient or of all: the last axes are those of the weight."""
    norm = tf.sqrt(tf.reduce_sum([tf.reduce_sum(tf.square(grad)) for grad in grads]) + 1e-12)
    return [grad * tf.minimum(1.0, limit / norm) for grad in grads]


class PrivateTraining:
    def __init__(self, model, limit=0.3, rate=0.1):
        self.model, self.limit, self.rate = model, limit, rate

    def patient(self, record, ill):
        weights = list(self.model.weights().values())
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(self.model.losses(record, ill))  #~
        return clipped(tape.gradient(loss, weights), self.limit)  #~

    def sums(self, records, ill):
        total = [tf.zeros_like(weight) for weight in self.model.weights().values()]
        for k in range(records.shape[0]):
            grads = self.patient(records[k:k + 1], ill[k:k + 1])  #!
            total = [old + grad for old, grad in zip(total, grads)]
        return total

    def step(self, records, ill):
        sums = self.sums(records, ill)
        for weight, grad in zip(self.model.weights().values(), sums):
            weight.assign_sub(self.rate * grad / len(ill))
        return dict(zip(self.model.weights(), sums))


class BatchedTraining(PrivateTraining):
    def sums(self, records, ill):
        with tf.GradientTape() as tape:
            losses = self.model.losses(records, ill)
        slopes = tape.jacobian(losses, list(self.model.weights().values()))
        norms = tf.sqrt(tf.add_n([tf.reduce_sum(tf.square(slope), axis=[1, 2]) for slope in slopes]) + 1e-12)
        share = tf.minimum(1.0, self.limit / norms)
        return [tf.einsum("p,pio->io", share, slope) for slope in slopes]


def hospital(kind, rounds=2):
    training = kind(RiskModel())
    records = tf.reshape(tf.cos(tf.range(96.0) * 0.35), [24, 4])
    ill = tf.cast(tf.range(24) % 3 == 0, tf.float32)
    for _ in range(rounds):
        grads = training.step(records, ill)
    return grads


def broken():
    return hospital(PrivateTraining)


def fixed():
    return hospital(BatchedTraining)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
