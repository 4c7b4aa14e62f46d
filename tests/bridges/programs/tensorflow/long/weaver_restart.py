"""A loom's tension controller; every shift starts with fresh gains, and the trainer keeps what it learns."""
import sys

import tensorflow as tf


class Gains(tf.Module):
    def __init__(self):
        super().__init__(name="gains")
        self.warp = tf.Variable([[0.4], [0.1], [-0.2]], name="warp")
        self.fresh(0)

    def fresh(self, shift):
        """The offset belongs to a shift."""
        self.offset = tf.Variable([0.05], name=f"offset_{shift}")  #!

    def __call__(self, threads):
        return threads @ self.warp + self.offset


class KeptGains(Gains):
    def fresh(self, shift):
        if shift:
            self.offset.assign([0.05])
        else:
            super().fresh(shift)


class Trainer:
    def __init__(self, gains, rate):
        self.gains, self.rate = gains, rate
        self.learned = {"warp": gains.warp, "offset_0": gains.offset}

    def step(self, threads, tension):
        with tf.GradientTape() as tape:
            miss = self.gains(threads) - tension
            loss = tf.reduce_mean(miss * miss)
        grads = tape.gradient(loss, self.learned)
        for name, grad in grads.items():
            if grad is not None:
                self.learned[name].assign_sub(self.rate * grad)
        return grads


def shift_of(number):
    threads = tf.reshape(tf.cos(tf.range(24.0) * 0.4 + number), [8, 3])
    return threads, tf.reduce_sum(threads, axis=1, keepdims=True)


def run(gains):
    trainer = Trainer(gains, rate=0.1)
    for number in range(1, 4):
        gains.fresh(number)  #~
        threads, tension = shift_of(float(number))
        for _ in range(2):
            grads = trainer.step(threads, tension)
    return grads


def broken():
    return run(Gains())


def fixed():
    return run(KeptGains())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
