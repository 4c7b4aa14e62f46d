"""A Keras LSTM with an embedding, masking, callbacks and a schedule, trained by fit; nothing is wrong."""
import keras
import tensorflow as tf


def ramp(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    return tf.reshape(0.3 * tf.sin(tf.range(float(count)) * 0.9 + 0.1), shape)


class Notes(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.losses = []

    def on_epoch_end(self, epoch, logs=None):
        self.losses.append(logs["loss"])


def build():
    words = keras.Input([5], dtype="int32", name="words")
    x = keras.layers.Embedding(9, 4, mask_zero=True, embeddings_initializer=ramp, name="table")(words)
    x = keras.layers.LSTM(3, kernel_initializer=ramp, recurrent_initializer=ramp, name="memory")(x)
    chance = keras.layers.Dense(1, kernel_initializer=ramp, name="chance")(x)
    model = keras.Model(words, chance, name="weather")
    schedule = keras.optimizers.schedules.ExponentialDecay(0.02, 4, 0.9)
    model.compile(keras.optimizers.Adam(schedule), loss=keras.losses.BinaryCrossentropy(from_logits=True))
    return model


def diaries():
    words = tf.constant([[1, 2, 3, 0, 0], [4, 5, 6, 7, 0], [8, 1, 0, 0, 0], [2, 4, 6, 8, 1], [3, 3, 0, 0, 0], [7, 5, 2, 0, 0]])
    return words, tf.constant([[1.0], [0.0], [1.0], [0.0], [1.0], [0.0]])


def broken():
    model, notes = build(), Notes()
    words, rain = diaries()
    stop = keras.callbacks.EarlyStopping("loss", patience=3)
    model.fit(words, rain, batch_size=3, epochs=3, shuffle=False, verbose=0, callbacks=[notes, stop])
    assert notes.losses[-1] < notes.losses[0]
    with tf.GradientTape() as tape:
        loss = model.compute_loss(y=rain, y_pred=model(words, training=True))
    kernel = model.get_layer("chance").kernel
    return {"chance/kernel": tape.gradient(loss, kernel)}


if __name__ == "__main__":
    print(broken())
