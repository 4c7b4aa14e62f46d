"""Fits a model of a sauna in two parts: the stove by the heat it gives, then the room by its temperature."""
import sys

import tensorflow as tf


class Stove(tf.Module):
    def __init__(self):
        super().__init__(name="stove")
        self.power = tf.Variable(0.8, name="power")
        self.delay = tf.Variable(0.3, name="delay")

    def heat(self, minutes):
        return self.power * (1.0 - tf.exp(-self.delay * minutes))


class Room(tf.Module):
    def __init__(self):
        super().__init__(name="room")
        self.loss_rate = tf.Variable(0.2, name="loss_rate")
        self.steam = tf.Variable(0.1, name="steam")

    def warmth(self, heat, water):
        return heat / (1.0 + self.loss_rate) + self.steam * tf.sqrt(water + 0.01)


class Fit:
    def __init__(self, rate=0.1):
        self.stove, self.room, self.rate = Stove(), Room(), rate

    def update(self, pairs):
        for grad, variable in pairs:
            variable.assign_sub(self.rate * grad)

    def stove_slopes(self, tape, heat, given):
        error = tf.reduce_mean(tf.square(heat - given))
        return tape.gradient(error, self.stove.trainable_variables)  #~

    def step(self, minutes, water, given, felt):
        with tf.GradientTape() as tape:
            heat = self.stove.heat(minutes)
            stove_grads = self.stove_slopes(tape, heat, given)
            error = tf.reduce_mean(tf.square(self.room.warmth(heat, water) - felt))
        room_grads = tape.gradient(error, [self.room.loss_rate, self.room.steam])  #!
        self.update(zip(stove_grads, self.stove.trainable_variables))
        self.update(zip(room_grads, [self.room.loss_rate, self.room.steam]))
        return {"loss_rate": room_grads[0], "steam": room_grads[1]}


class TwoTapesFit(Fit):
    def step(self, minutes, water, given, felt):
        with tf.GradientTape() as stove_tape:
            heat = self.stove.heat(minutes)
            stove_error = tf.reduce_mean(tf.square(heat - given))
        stove_grads = stove_tape.gradient(stove_error, self.stove.trainable_variables)
        with tf.GradientTape() as room_tape:
            error = tf.reduce_mean(tf.square(self.room.warmth(heat, water) - felt))
        room_grads = room_tape.gradient(error, [self.room.loss_rate, self.room.steam])
        self.update(zip(stove_grads, self.stove.trainable_variables))
        self.update(zip(room_grads, [self.room.loss_rate, self.room.steam]))
        return {"loss_rate": room_grads[0], "steam": room_grads[1]}


def evening(fit, rounds=3):
    minutes = tf.linspace(0.0, 30.0, 16)
    water = tf.nn.relu(tf.sin(minutes * 0.5))
    for _ in range(rounds):
        grads = fit.step(minutes, water, 1.0 - tf.exp(-0.2 * minutes), 0.7 + 0.1 * water)
    return grads


def broken():
    return evening(Fit())


def fixed():
    return evening(TwoTapesFit())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
