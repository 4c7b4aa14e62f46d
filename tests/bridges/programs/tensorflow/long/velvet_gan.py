"""Patterns of velvet by a forger and a judge: one tape, asked once for each; the losses are shown once an epoch."""
import tensorflow as tf


def weave(shape, dtype=None):
    return 0.2 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.43), shape)


class Velvet:
    def __init__(self):
        self.forger = tf.keras.Sequential([tf.keras.Input([4]), tf.keras.layers.Dense(8, kernel_initializer=weave, name="forge")])
        self.judge = tf.keras.Sequential([tf.keras.Input([8]), tf.keras.layers.Dense(6, "tanh", kernel_initializer=weave, name="look"),
                                          tf.keras.layers.Dense(1, kernel_initializer=weave, name="say")])
        self.optimizers = [tf.keras.optimizers.Adam(0.002), tf.keras.optimizers.Adam(0.002)]
        for optimizer, model in zip(self.optimizers, (self.forger, self.judge)):
            optimizer.build(model.trainable_variables)

    @tf.function
    def step(self, noise, velvet):
        with tf.GradientTape(persistent=True) as tape:
            said_true = self.judge(velvet)
            said_false = self.judge(self.forger(noise))
            cross = tf.nn.sigmoid_cross_entropy_with_logits
            judged = tf.reduce_mean(cross(tf.ones_like(said_true), said_true) + cross(tf.zeros_like(said_false), said_false))
            forged = tf.reduce_mean(cross(tf.ones_like(said_false), said_false))
        grads = []
        for loss, model, optimizer in zip((forged, judged), (self.forger, self.judge), self.optimizers):
            grads.append(tape.gradient(loss, model.trainable_variables))
            optimizer.apply_gradients(zip(grads[-1], model.trainable_variables))
        return forged, judged, grads


def broken():
    atelier = Velvet()
    data = tf.data.Dataset.range(4).map(lambda n: tf.sin(tf.reshape(tf.range(48.0), [6, 8]) + tf.cast(n, tf.float32)))
    for epoch in range(2):
        for velvet in data:
            noise = tf.cos(velvet[:, :4] * 3.0)
            forged, judged, grads = atelier.step(noise, velvet)
        print(f"epoch {epoch}: {float(forged):.3f} {float(judged):.3f}")
    return {"sequential/forge/kernel": grads[0][0], "sequential_1/look/kernel": grads[1][0]}


if __name__ == "__main__":
    print(broken())
