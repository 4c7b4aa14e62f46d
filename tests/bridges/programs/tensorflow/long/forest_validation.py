"""A frozen teacher labels new photographs of a forest each round; the validation set is judged after each."""
import keras
import tensorflow as tf


def wave(shape, dtype=None):
    return 0.2 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.7 + 0.1), shape)


def network(name, width):
    layers = [
        keras.Input((32,)),
        keras.layers.Dense(width, "tanh", kernel_initializer=wave, name="bark"),
        keras.layers.Dense(4, kernel_initializer=wave, name="tree"),
    ]
    return keras.Sequential(layers, name=name)


def photographs(number):
    return tf.reshape(tf.cos(tf.range(512.0) * 0.05 + number), [16, 32])


def train(rounds=5):
    teacher, student = network("teacher", 64), network("student", 16)
    teacher.trainable = False
    optimizer = keras.optimizers.Adam(0.01)
    held = photographs(100.0)
    for number in range(rounds):
        photos = photographs(float(number))
        soft = tf.nn.softmax(teacher(photos))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(keras.losses.kl_divergence(soft, tf.nn.softmax(student(photos))))
        grads = tape.gradient(loss, student.trainable_variables)
        optimizer.apply(grads, student.trainable_variables)
        judged = tf.reduce_mean(tf.square(student(held)))
        print(f"round {number}: {float(loss):.4f}, {float(judged):.4f}")
    return {v.path: g for v, g in zip(student.trainable_variables, grads) if "kernel" in v.path}


def broken():
    return train()


if __name__ == "__main__":
    print(broken())
