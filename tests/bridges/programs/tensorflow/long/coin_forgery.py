"""A generator strikes coins and a critic tells them from real ones; two tapes, one for each side."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 1.1), shape)


def net(units, name):
    return tf.keras.Sequential(
        [
            tf.keras.layers.Dense(5, "tanh", kernel_initializer=wave, name=f"{name}_in"),
            tf.keras.layers.Dense(units, kernel_initializer=wave, name=f"{name}_out"),
        ],
        name=name,
    )


class Mint:
    def __init__(self):
        self.striker, self.critic = net(4, "striker"), net(1, "critic")
        self.bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    def look(self, coins, noise):
        with tf.GradientTape(persistent=True) as striker_tape:
            struck = self.striker(noise)
            doubted = self.critic(struck)
            fooled = self.bce(tf.ones_like(doubted), doubted)
        with tf.GradientTape(persistent=True) as critic_tape:
            real = self.critic(coins)  #!
            fake = self.critic(tf.stop_gradient(struck))  #~
            found = self.bce(tf.ones_like(real), real) + self.bce(tf.zeros_like(fake), fake)  #~
        return striker_tape, critic_tape, fooled, found

    def questions(self, coins, noise):
        striker_tape, critic_tape, fooled, found = self.look(coins, noise)
        return (
            striker_tape.gradient(fooled, self.striker.trainable_variables),
            striker_tape.gradient(found, self.critic.trainable_variables),
        )


class RightMint(Mint):
    def questions(self, coins, noise):
        striker_tape, critic_tape, fooled, found = self.look(coins, noise)
        return (
            striker_tape.gradient(fooled, self.striker.trainable_variables),
            critic_tape.gradient(found, self.critic.trainable_variables),
        )


def strike(mint):
    coins = 0.5 + 0.2 * tf.cos(tf.reshape(tf.range(24.0), [6, 4]))
    noise = tf.sin(tf.reshape(tf.range(18.0), [6, 3]) * 0.9)
    striking, finding = mint.questions(coins, noise)
    return {"striker/striker_in/kernel": striking[0], "critic/critic_in/kernel": finding[0]}


def broken():
    return strike(Mint())


def fixed():
    return strike(RightMint())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
