"""Descends a valley with a step that halves until it is good enough."""
import tensorflow as tf

shape = tf.constant([1.0, 10.0])
point = tf.Variable([3.0, 1.5], name="point")


def valley(x):
    return tf.reduce_sum(shape * tf.square(x)) + tf.square(tf.reduce_prod(x))


def slope():
    with tf.GradientTape() as tape:
        value = valley(point)
    return value, tape.gradient(value, point)


def halving(value, grad, step=1.0):
    drop = 1e-4 * float(tf.reduce_sum(tf.square(grad)))
    while float(valley(point - step * grad)) > float(value) - step * drop:
        step *= 0.5
    return step


def broken():
    for _ in range(20):
        value, grad = slope()
        if float(tf.norm(grad)) < 1e-4:
            break
        point.assign_sub(halving(value, grad) * grad)
    return {"point": slope()[1]}


if __name__ == "__main__":
    print(broken())
