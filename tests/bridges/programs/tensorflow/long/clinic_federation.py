"""Clinics train a common model without sharing patients: each round, each clinic updates a copy and the server averages."""
import sys

import tensorflow as tf


class RiskNet(tf.Module):
    def __init__(self):
        super().__init__(name="risk")
        self.weights = tf.Variable([0.1, -0.2, 0.3, 0.0], name="weights")
        self.offset = tf.Variable(0.0, name="offset")

    def __call__(self, patients):
        return tf.linalg.matvec(patients, self.weights) + self.offset


class Clinic:
    def __init__(self, patients):
        self.patients = patients
        self.ill = tf.cast(tf.reduce_sum(patients, axis=1) > 0.0, tf.float32)
        self.net = RiskNet()

    def train(self, epochs, rate):
        @tf.function  #~
        def local_step(patients, ill):  #~
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(ill, self.net(patients)))
            grads = tape.gradient(loss, [self.net.weights, self.net.offset])
            self.net.weights.assign_sub(rate * grads[0])
            self.net.offset.assign_sub(rate * grads[1])
            return grads

        for _ in range(epochs):
            grads = local_step(self.patients, self.ill)  #!
        return grads


class LastingClinic(Clinic):
    def train(self, epochs, rate):
        for _ in range(epochs):
            grads = self.local_step(self.patients, self.ill, tf.constant(rate))
        return grads

    @tf.function
    def local_step(self, patients, ill, rate):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(ill, self.net(patients)))
        grads = tape.gradient(loss, [self.net.weights, self.net.offset])
        self.net.weights.assign_sub(rate * grads[0])
        self.net.offset.assign_sub(rate * grads[1])
        return grads


class Server:
    def __init__(self, clinics):
        self.clinics = clinics

    def round(self):
        grads = [clinic.train(epochs=2, rate=0.1) for clinic in self.clinics]
        average = tf.add_n([clinic.net.weights for clinic in self.clinics]) / len(self.clinics)
        for clinic in self.clinics:
            clinic.net.weights.assign(average)
        return grads[-1]


def federate(kind):
    server = Server([kind(tf.reshape(tf.sin(tf.range(24.0) + 5.0), [6, 4]))])
    for _ in range(3):
        grads = server.round()
    return {"weights": grads[0], "offset": grads[1]}


def broken():
    return federate(Clinic)


def fixed():
    return federate(LastingClinic)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
