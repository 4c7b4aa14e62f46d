"""Fits the yield of an olive press with an ensemble of small nets, each trained by a loop that watches its
norm.
"""
import sys

import tensorflow as tf


class Member:
    def __init__(self, number, inputs=4, width=6):
        phase = 0.4 * number
        press = tf.sin(tf.range(float(inputs * width)) + phase)
        sieve = tf.cos(tf.range(float(width)) + phase)
        self.layers = {
            "press": tf.Variable(0.4 * tf.reshape(press, [inputs, width]), name=f"press_{number}"),
            "sieve": tf.Variable(0.4 * tf.reshape(sieve, [width, 1]), name=f"sieve_{number}"),
        }

    def __call__(self, batches):
        return tf.squeeze(tf.nn.silu(batches @ self.layers["press"]) @ self.layers["sieve"], axis=1)


class Ensemble:
    def __init__(self, count=3):
        self.members = [Member(number) for number in range(count)]

    def mean(self, batches):
        return tf.reduce_mean(tf.stack([member(batches) for member in self.members]), axis=0)


def step(member, batches, oil, rate, persistent):
    with tf.GradientTape(persistent=persistent) as tape:  #!
        loss = tf.reduce_mean(tf.square(member(batches) - oil))
        loss += 1e-3 * tf.add_n([tf.nn.l2_loss(weight) for weight in member.layers.values()])
    grads = tape.gradient(loss, member.layers)
    norm = tf.linalg.global_norm(list(grads.values()))
    scale = tf.minimum(1.0, 1.0 / norm)
    for name, weight in member.layers.items():
        weight.assign_sub(rate * scale * grads[name])
    return grads


def harvest(persistent):
    batches = tf.reshape(tf.sin(tf.range(80.0) * 0.23), [20, 4])
    oil = 0.5 + 0.2 * batches[:, 0] - 0.1 * batches[:, 3]
    ensemble, found = Ensemble(), {}
    for number, member in enumerate(ensemble.members):
        for _ in range(4):
            grads = step(member, batches, oil, 0.1, persistent)
        found |= {f"{name}_{number}": grad for name, grad in grads.items()}
    return {name: found[name] for name in ("press_0", "sieve_2")}


def broken():
    return harvest(persistent=True)


def fixed():
    return harvest(persistent=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
