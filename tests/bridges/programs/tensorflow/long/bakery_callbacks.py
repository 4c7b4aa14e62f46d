"""Forecasts bread by Keras with callbacks, a checkpoint that is restored and averaged weights."""
import pathlib
import tempfile

import keras
import numpy as np
import tensorflow as tf


def wave(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) + 0.2), shape)


class LossHistory(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.losses = []

    def on_train_batch_end(self, batch, logs=None):
        self.losses.append(float(logs["loss"]))


def build():
    inputs = keras.Input((6,), name="day")
    hidden = keras.layers.Dense(8, "gelu", kernel_initializer=wave, name="oven")(inputs)
    hidden = keras.layers.Dropout(0.2, seed=3)(hidden)
    loaves = keras.layers.Dense(1, kernel_initializer=wave, name="loaves")(hidden)
    model = keras.Model(inputs, loaves, name="bread")
    optimizer = keras.optimizers.AdamW(0.01, weight_decay=1e-3, clipnorm=1.0, use_ema=True)
    model.compile(optimizer, keras.losses.Huber(), metrics=["mae"])
    return model


def data():
    days = np.cos(np.arange(180.0).reshape(30, 6) * 0.2).astype(np.float32)
    return days, days[:, :1] - 0.5 * days[:, 1:2]


def train():
    model, history = build(), LossHistory()
    days, loaves = data()
    slower = keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.9)
    patience = keras.callbacks.EarlyStopping("val_loss", patience=2, restore_best_weights=True)
    model.fit(days, loaves, batch_size=7, epochs=3, validation_split=0.2, callbacks=[history, slower, patience], shuffle=False, verbose=0)
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = tf.train.Checkpoint(model=model)
        path = checkpoint.write(str(pathlib.Path(folder) / "bread"))
        checkpoint.read(path).assert_existing_objects_matched()
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model.loss(loaves, model(days, training=False)))
    grads = tape.gradient(loss, model.trainable_variables)
    return {v.path: g for v, g in zip(model.trainable_variables, grads) if "kernel" in v.path}


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
