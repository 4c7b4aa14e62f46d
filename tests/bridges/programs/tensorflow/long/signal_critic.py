"""Traffic lights by actor and critic: both learn from one recording of a crossing's evening."""
import sys

import tensorflow as tf


class Crossing:
    def __init__(self):
        self.lights = tf.Variable(0.2 * tf.cos(tf.reshape(tf.range(12.0), [4, 3])), name="lights")
        self.worth = tf.Variable(0.1 * tf.sin(tf.range(4.0)), name="worth")
        self.optimizers = {"lights": tf.keras.optimizers.SGD(0.05), "worth": tf.keras.optimizers.SGD(0.1)}

    def losses(self, queues, phases, waited):
        value = tf.linalg.matvec(queues, self.worth)
        advantage = waited - value
        log_probs = tf.nn.log_softmax(queues @ self.lights)
        taken = tf.gather(log_probs, phases, batch_dims=1)
        actor = -tf.reduce_mean(taken * tf.stop_gradient(advantage))
        return actor, tf.reduce_mean(tf.square(advantage))

    def improve(self, tape, name, loss, variable):
        grad = tape.gradient(loss, variable)  #!
        self.optimizers[name].apply_gradients([(grad, variable)])
        return grad

    def evening(self, queues, phases, waited):
        with tf.GradientTape(persistent=True) as tape:
            actor, critic = self.losses(queues, phases, waited)
            lights = self.improve(tape, "lights", actor, self.lights)  #~
            worth = self.improve(tape, "worth", critic, self.worth)  #~
        return {"lights": lights, "worth": worth}


class PatientCrossing(Crossing):
    def evening(self, queues, phases, waited):
        with tf.GradientTape(persistent=True) as tape:
            actor, critic = self.losses(queues, phases, waited)
        lights = self.improve(tape, "lights", actor, self.lights)
        worth = self.improve(tape, "worth", critic, self.worth)
        return {"lights": lights, "worth": worth}


def traffic(day):
    queues = 1.0 + tf.sin(tf.reshape(tf.range(40.0), [10, 4]) * 0.3 + day)
    return queues, tf.math.floormod(tf.range(10), 3), -tf.reduce_sum(queues, axis=1) / 4.0


def week(crossing):
    for day in range(3):
        grads = crossing.evening(*traffic(float(day)))
    return grads


def broken():
    return week(Crossing())


def fixed():
    return week(PatientCrossing())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
