"""A generator of felt textures and its critic, each with an optimizer; the critic's pictures are kept in a pool."""
import sys

import tensorflow as tf


class Net(tf.Module):
    def __init__(self, name, inputs, outputs, phase):
        super().__init__(name=name)
        wave = tf.sin(tf.range(float(inputs * outputs)) + phase)
        self.weight = tf.Variable(0.4 * tf.reshape(wave, [inputs, outputs]), name=f"{name}_weight")
        self.bias = tf.Variable(tf.zeros([outputs]), name=f"{name}_bias")

    def __call__(self, x):
        return x @ self.weight + self.bias


class Pool:
    """Some earlier pictures, so that the critic does not forget them."""

    def __init__(self, keep):
        self.keep, self.pictures = keep, []

    def mixed(self, picture):
        self.pictures = [*self.pictures, picture][-self.keep:]
        return tf.concat([tf.constant(p.numpy()) for p in self.pictures], axis=0)  #!


class Workshop:
    def __init__(self, pool):
        self.maker, self.critic, self.pool = Net("maker", 3, 6, 0.1), Net("critic", 6, 1, 0.7), pool
        self.optimizers = tf.keras.optimizers.SGD(0.05), tf.keras.optimizers.SGD(0.05)

    def maker_loss(self, noise):
        pictures = tf.tanh(self.maker(noise))
        shown = self.pool.mixed(pictures) if self.pool else pictures
        return -tf.reduce_mean(self.critic(shown))

    def critic_loss(self, noise, real):
        made = tf.stop_gradient(tf.tanh(self.maker(noise)))
        return tf.reduce_mean(self.critic(made)) - tf.reduce_mean(self.critic(real))

    def step(self, noise, real):
        critic, maker = [self.critic.weight, self.critic.bias], [self.maker.weight, self.maker.bias]
        with tf.GradientTape() as tape:
            loss = self.critic_loss(noise, real)
        self.optimizers[0].apply_gradients(zip(tape.gradient(loss, critic), critic))
        with tf.GradientTape() as tape:
            loss = self.maker_loss(noise)
        weight, bias = tape.gradient(loss, maker)
        if weight is not None:
            self.optimizers[1].apply_gradients(zip([weight, bias], maker))
        return {"maker_weight": weight, "maker_bias": bias}


def days(pool, count=3):
    workshop = Workshop(pool)
    for day in range(count):
        noise = tf.reshape(tf.cos(tf.range(24.0) + day), [8, 3])
        real = tf.reshape(tf.sin(tf.range(48.0) * 0.5 + day), [8, 6])
        grads = workshop.step(noise, real)
    return grads


def broken():
    return days(Pool(2))


def fixed():
    return days(None)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
