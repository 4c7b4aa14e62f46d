"""Trains a Keras classifier with fit and a last, shorter batch; nothing is wrong."""
import keras
import tensorflow as tf


def ramp(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    return 0.3 * tf.reshape(tf.sin(tf.range(float(count)) + 0.4), shape)


def strokes(count=22):
    rows = tf.reshape(tf.cos(tf.range(float(count * 6)) / 3.0), [count, 6])
    return rows, tf.range(count) % 3


def build():
    model = keras.Sequential([
        keras.Input([6], name="strokes"),
        keras.layers.Dense(8, activation="relu", kernel_initializer=ramp, name="hidden"),
        keras.layers.LayerNormalization(name="norm"),
        keras.layers.Dense(3, kernel_initializer=ramp, name="digit"),
    ], name="digits")
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer=keras.optimizers.Adam(0.01), loss=loss, metrics=["accuracy"])
    return model


def broken():
    model = build()
    rows, digits = strokes()
    history = model.fit(rows, digits, batch_size=8, epochs=3, shuffle=False, verbose=0)
    assert history.history["loss"][-1] < history.history["loss"][0]
    with tf.GradientTape() as tape:
        logits = model(rows, training=True)
        loss = model.compute_loss(y=digits, y_pred=logits)
    kernel, bias = tape.gradient(loss, [model.get_layer("hidden").kernel, model.get_layer("digit").bias])
    return {"digits/hidden/kernel": kernel, "digits/digit/bias": bias}


if __name__ == "__main__":
    print(broken())
