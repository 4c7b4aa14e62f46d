"""A mixture of two normals with a floor under its widths, compiled for batches of any size; nothing is wrong."""
import tensorflow as tf

weights = tf.Variable([0.2, -0.1], name="weights")
means = tf.Variable([-1.0, 2.0], name="means")
widths = tf.Variable([0.5, 0.3], name="widths")


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def loss_of(samples):
    wide = tf.nn.softplus(widths) + 1e-3
    logs = -0.5 * tf.square((samples[:, None] - means) / wide) - tf.math.log(wide)
    return -tf.reduce_mean(tf.reduce_logsumexp(logs + tf.nn.log_softmax(weights), axis=1))


def broken():
    sources = {"weights": weights, "means": means, "widths": widths}
    for count in (5, 8, 3, 6):
        samples = tf.sin(tf.range(float(count))) * 2.0
        with tf.GradientTape() as tape:
            loss = loss_of(samples)
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            sources[name].assign_sub(0.05 * grad)
    return grads


if __name__ == "__main__":
    print(broken())
