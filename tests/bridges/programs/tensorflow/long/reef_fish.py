"""Two nets look at reef fish, one finds them and one names them; each has a tape."""
import sys

import tensorflow as tf


class Head(tf.Module):
    def __init__(self, name, wide, outputs):
        super().__init__(name=name)
        wave = tf.range(6.0 * wide)
        self.look = tf.Variable(0.3 * tf.reshape(tf.sin(wave + outputs), [6, wide]), name=f"{name}_look")
        self.out = tf.Variable(0.3 * tf.reshape(tf.cos(tf.range(float(wide * outputs))), [wide, outputs]), name=f"{name}_out")

    def __call__(self, water):
        return tf.nn.elu(water @ self.look) @ self.out


class Reef:
    def __init__(self, persistent):
        self.find, self.name = Head("find", 10, 1), Head("name", 10, 3)
        self.persistent = persistent

    def find_step(self, water, there):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(there, self.find(water)))
        return self.update(tape.gradient(loss, [self.find.look, self.find.out]), [self.find.look, self.find.out])

    def name_step(self, water, kind):
        with tf.GradientTape(persistent=self.persistent) as tape:  #!
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(kind, self.name(water)))
        return self.update(tape.gradient(loss, [self.name.look, self.name.out]), [self.name.look, self.name.out])

    def update(self, grads, weights):
        for grad, weight in zip(grads, weights):
            weight.assign_sub(0.1 * grad)
        return {weight.name.split(":")[0]: grad for grad, weight in zip(grads, weights)}


def dive(persistent, dives=4):
    reef = Reef(persistent)
    for k in range(dives):
        water = tf.reshape(tf.sin(tf.range(240.0) * 0.17 + k), [40, 6])
        there = tf.cast(water[:, :1] > 0, tf.float32)
        grads = reef.find_step(water, there)
        grads |= reef.name_step(water, tf.cast(tf.argmax(water[:, :3], axis=1), tf.int32))
    return {name: grads[name] for name in ("find_look", "name_out")}


def broken():
    return dive(True)


def fixed():
    return dive(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
