"""A compiled step sees full batches and a last, shorter one: two traces are wanted."""
import tensorflow as tf

values = tf.linspace(0.1, 1.0, 10)
weight = tf.Variable(0.5, name="weight")


@tf.function
def step(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(weight * batch - 1.0))
    gradient = tape.gradient(loss, weight)
    weight.assign_sub(0.1 * gradient)
    return gradient


def broken():
    for _ in range(3):
        for batch in tf.data.Dataset.from_tensor_slices(values).batch(4):
            gradient = step(batch)
    return {"weight": gradient}


if __name__ == "__main__":
    print(broken())
