"""Watches the monitors of a ward: each signal goes through an encoder of its kind, a worker for each."""
import sys
import threading

import tensorflow as tf


class Encoder(tf.Module):
    def __init__(self, signal, inputs, width=4):
        super().__init__(name=signal)
        wave = tf.sin(tf.range(float(inputs * width)) + len(signal))
        self.kernel = tf.Variable(0.4 * tf.reshape(wave, [inputs, width]), name=f"{signal}_kernel")

    def __call__(self, window):
        return tf.nn.elu(window @ self.kernel)  #!


class Worker(threading.Thread):
    def __init__(self, encoder, window):
        super().__init__()
        self.encoder, self.window, self.features = encoder, window, None

    def run(self):
        self.features = self.encoder(self.window)  #~


class Ward(tf.Module):
    SIGNALS = {"pulse": 6, "breath": 5, "oxygen": 3}

    def __init__(self):
        super().__init__(name="ward")
        self.encoders = {signal: Encoder(signal, inputs) for signal, inputs in self.SIGNALS.items()}
        self.alarm = tf.Variable(0.3 * tf.cos(tf.range(12.0))[:, tf.newaxis], name="alarm")

    def encode(self, windows):
        workers = [Worker(self.encoders[signal], window) for signal, window in windows.items()]
        for worker in workers:
            worker.start()  #~
        for worker in workers:
            worker.join()
        return [worker.features for worker in workers]

    def __call__(self, windows):
        return tf.squeeze(tf.concat(self.encode(windows), axis=1) @ self.alarm, axis=1)

    def weights(self):
        return {
            "alarm": self.alarm,
            **{f"{name}_kernel": encoder.kernel for name, encoder in self.encoders.items()},
        }


class SingleThreadWard(Ward):
    def encode(self, windows):
        return [self.encoders[signal](window) for signal, window in windows.items()]


def night(count=8):
    windows = {}
    for signal, inputs in Ward.SIGNALS.items():
        windows[signal] = tf.reshape(tf.cos(tf.range(float(count * inputs)) * 0.3), [count, inputs])
    return windows, tf.cast(tf.range(count) % 4 == 0, tf.float32)


def train(ward, steps=3, rate=0.1):
    windows, alarms = night()
    weights = ward.weights()
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(alarms, ward(windows)))
        grads = tape.gradient(loss, weights)
        for name, weight in weights.items():
            if grads[name] is not None:
                weight.assign_sub(rate * grads[name])
    return grads


def broken():
    return train(Ward())


def fixed():
    return train(SingleThreadWard())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
