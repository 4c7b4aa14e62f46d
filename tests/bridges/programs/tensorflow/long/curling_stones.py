"""Where curling stones come to rest: a simulator with learned friction, run for every stone of an evening."""
import sys

import tensorflow as tf

STONES, STEPS = 20, 6


class Ice(tf.Module):
    def __init__(self):
        super().__init__(name="ice")
        self.friction = tf.Variable(0.3, name="friction")
        self.curl = tf.Variable(0.05, name="curl")
        self.pebble = tf.Variable([0.1, -0.2, 0.05], name="pebble")

    def slowed(self, speed):
        powers = tf.stack([speed, speed**2, tf.sin(speed)], axis=-1)
        return speed - 0.1 * (self.friction * tf.tanh(speed) + tf.linalg.matvec(powers, self.pebble))

    def slide(self, speed, spin):
        """Two coordinates of each stone after it came to rest."""
        along, across = tf.zeros_like(speed), tf.zeros_like(speed)
        for _ in range(STEPS):
            speed = self.slowed(speed)
            along = along + 0.1 * speed
            across = across + 0.1 * self.curl * spin * tf.exp(-speed)
        return along, across


@tf.function
def fit_evening(ice, speeds, spins, rests):
    with tf.GradientTape() as tape:
        misses = []
        for number in range(STONES):  #~
            along, across = ice.slide(speeds[number : number + 1], spins[number : number + 1])  #!
            miss = tf.square(along - rests[number, 0]) + tf.square(across - rests[number, 1])  #~
            misses.append(miss)
        loss = tf.reduce_mean(tf.concat(misses, axis=0))
    grads = tape.gradient(loss, [ice.friction, ice.curl, ice.pebble])
    for variable, grad in zip([ice.friction, ice.curl, ice.pebble], grads):
        variable.assign_sub(0.1 * grad)
    return loss, grads


@tf.function
def fit_together(ice, speeds, spins, rests):
    with tf.GradientTape() as tape:
        along, across = ice.slide(speeds, spins)
        loss = tf.reduce_mean(tf.square(along - rests[:, 0]) + tf.square(across - rests[:, 1]))
    grads = tape.gradient(loss, [ice.friction, ice.curl, ice.pebble])
    for variable, grad in zip([ice.friction, ice.curl, ice.pebble], grads):
        variable.assign_sub(0.1 * grad)
    return loss, grads


def evening(fit):
    ice = Ice()
    speeds = 1.0 + 0.5 * tf.cos(tf.range(float(STONES)))
    spins = tf.sin(tf.range(float(STONES)) * 0.7)
    rests = tf.stack([0.5 * speeds, 0.02 * spins], axis=1)
    for _ in range(3):
        loss, grads = fit(ice, speeds, spins, rests)  #~
    return dict(zip(["friction", "curl", "pebble"], grads))


def broken():
    return evening(fit_evening)


def fixed():
    return evening(fit_together)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
