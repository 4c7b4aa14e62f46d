"""Which patients come back to the dentist: a model with a learned temperature, trained by its own train_step in fit()."""
import sys

import tensorflow as tf


class RecallModel(tf.keras.Model):
    def __init__(self, learned):
        super().__init__(name="recall")
        self.mouth = tf.keras.layers.Dense(4, activation="tanh", kernel_initializer=tf.keras.initializers.Constant(0.3), name="mouth")
        self.come_back = tf.keras.layers.Dense(1, kernel_initializer=tf.keras.initializers.Constant(-0.2), name="come_back")
        self.temperature = tf.Variable(1.5, trainable=learned, name="temperature")  #!
        self.seen = tf.Variable(0, trainable=False, dtype=tf.int64, name="seen")
        self.last = {}

    def call(self, patients):
        hidden = self.mouth(patients)
        spread = tf.stop_gradient(tf.reduce_max(tf.abs(hidden)))
        return self.come_back(hidden / (1.0 + spread)) / self.temperature  #~

    def train_step(self, data):
        patients, came = data
        with tf.GradientTape() as tape:
            logits = self(patients, training=True)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(came, logits))
        weights = [self.mouth.kernel, self.come_back.kernel, self.temperature]
        grads = tape.gradient(loss, weights)
        self.seen.assign_add(tf.shape(patients, out_type=tf.int64)[0])
        for weight, grad in zip(weights, grads):
            if grad is not None:
                weight.assign(weight - 0.1 * grad)
        self.last = dict(zip(("recall/mouth/kernel", "recall/come_back/kernel", "temperature"), grads))
        return {"loss": loss}


def train(learned):
    patients = tf.reshape(tf.sin(tf.range(48.0)), [16, 3])
    came = tf.cast(tf.reduce_sum(patients, axis=1, keepdims=True) > 0, tf.float32)
    model = RecallModel(learned)
    model.compile(run_eagerly=True)
    model.fit(tf.data.Dataset.from_tensor_slices((patients, came)).batch(8), epochs=2, verbose=0)
    return model.last


def broken():
    return train(False)


def fixed():
    return train(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
