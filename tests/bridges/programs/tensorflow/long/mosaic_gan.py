"""A generative adversarial net for mosaics: one compiled step trains the critic and the painter together."""
import sys

import keras
import tensorflow as tf


def tile(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.9 + 0.4), shape)


def dense(units, activation, name):
    return keras.layers.Dense(units, activation, kernel_initializer=tile, name=name)


def painter():
    return keras.Sequential(
        [keras.Input((3,)), dense(6, "gelu", "sketch"), dense(8, "tanh", "colour")], name="painter"
    )


def critic():
    return keras.Sequential(
        [keras.Input((8,)), dense(6, "gelu", "look"), dense(1, None, "judge")], name="critic"
    )


class MosaicGan:
    def __init__(self, persistent):
        self.painter, self.critic, self.persistent = painter(), critic(), persistent
        self.rates = {"painter": 0.02, "critic": 0.05}

    def losses(self, mosaics, noise):
        painted = self.painter(noise)
        seen, judged = self.critic(mosaics), self.critic(painted)
        entropy = tf.nn.sigmoid_cross_entropy_with_logits
        critic_loss = tf.reduce_mean(
            entropy(tf.ones_like(seen), seen) + entropy(tf.zeros_like(judged), judged)
        )
        return critic_loss, tf.reduce_mean(entropy(tf.ones_like(judged), judged))

    def update(self, model, grads):
        for weight, grad in zip(model.trainable_weights, grads):
            weight.assign_sub(self.rates[model.name] * grad)

    def step(self, mosaics, noise):
        with tf.GradientTape(persistent=self.persistent) as tape:
            critic_loss, painter_loss = self.losses(mosaics, noise)
        critic_grads = tape.gradient(critic_loss, self.critic.trainable_weights)  #~
        painter_grads = tape.gradient(painter_loss, self.painter.trainable_weights)  #!
        self.update(self.critic, critic_grads)
        self.update(self.painter, painter_grads)
        return painter_grads


def train(persistent, steps=3):
    gan = MosaicGan(persistent)
    for number in range(steps):
        mosaics = tf.reshape(tf.cos(tf.range(32.0) * 0.4 + number), [4, 8])
        noise = tf.reshape(tf.sin(tf.range(12.0) * 1.7 + number), [4, 3])
        grads = gan.step(mosaics, noise)
    return {weight.path: grad for weight, grad in zip(gan.painter.trainable_weights, grads)}


def broken():
    return train(persistent=False)


def fixed():
    return train(persistent=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
