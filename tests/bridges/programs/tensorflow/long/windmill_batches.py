"""The power of windmills from gusts; a warm-up slows down the first batches of the loop."""
import sys

import tensorflow as tf


class Windmill:
    def __init__(self):
        self.pitch = tf.Variable([0.2, -0.1, 0.3, 0.0], name="pitch")
        self.drag = tf.Variable(0.1, name="drag")

    def power(self, gusts):
        return tf.nn.softplus(tf.linalg.matvec(gusts, self.pitch)) - self.drag


def warm_up(batch_number, full=0.05, over=3):
    share = tf.cast(batch_number + 1, tf.float32) / over
    return full * tf.minimum(share, 1.0)


class Trainer:
    def __init__(self, mill):
        self.mill = mill

    @tf.function
    def train_on(self, gusts, power, batch_number):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.abs(self.mill.power(gusts) - power))
        pitch, drag = tape.gradient(loss, (self.mill.pitch, self.mill.drag))
        rate = warm_up(batch_number)
        self.mill.pitch.assign_sub(rate * pitch)
        self.mill.drag.assign_sub(rate * drag)
        return {"pitch": pitch, "drag": drag}


def gusts():
    values = tf.reshape(tf.sin(tf.range(80.0) * 0.37), [20, 4])
    return tf.data.Dataset.from_tensor_slices((values, tf.abs(values[:, 0]))).batch(5)


def epoch(batches):
    trainer = Trainer(Windmill())
    for number, (wind, power) in batches:
        grads = trainer.train_on(wind, power, number)  #!
    return grads


def broken():
    return epoch(enumerate(gusts()))


def fixed():
    return epoch(gusts().enumerate())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
