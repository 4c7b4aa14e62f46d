"""A GAN as a Keras model: a persistent tape for two networks, labels smoothed, the forger frozen while the critic learns; nothing is wrong."""
import keras
import tensorflow as tf


def ramp(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    return tf.reshape(0.4 * tf.sin(tf.range(float(count)) * 1.1 + 0.3), shape)


def network(sizes, name):
    layers = [keras.Input([sizes[0]])]
    for place, size in enumerate(sizes[1:-1]):
        layers.append(keras.layers.Dense(size, activation="leaky_relu", kernel_initializer=ramp, name=f"{name}_{place}"))
    layers.append(keras.layers.Dense(sizes[-1], kernel_initializer=ramp, name=f"{name}_out"))
    return keras.Sequential(layers, name=name)


class Gan(keras.Model):
    def __init__(self):
        super().__init__(name="gan")
        self.forger, self.critic = network([3, 6, 4], "forger"), network([4, 6, 1], "critic")
        self.loss_of = keras.losses.BinaryCrossentropy(from_logits=True)
        self.means = [keras.metrics.Mean(name="forger_loss"), keras.metrics.Mean(name="critic_loss")]

    def compile(self, forger, critic):
        super().compile()
        self.forger_optimizer, self.critic_optimizer = forger, critic

    @property
    def metrics(self):
        return self.means

    def losses_of(self, notes, noise):
        forged = self.forger(noise, training=True)
        real, fake = self.critic(notes), self.critic(forged)
        forger_loss = self.loss_of(tf.ones_like(fake), fake)
        critic_loss = self.loss_of(0.9 * tf.ones_like(real), real) + self.loss_of(tf.zeros_like(fake), self.critic(tf.stop_gradient(forged)))
        return forger_loss, critic_loss

    def train_step(self, data):
        notes, noise = data
        with tf.GradientTape(persistent=True) as tape:
            forger_loss, critic_loss = self.losses_of(notes, noise)
        forger, critic = self.forger.trainable_variables, self.critic.trainable_variables
        self.forger_optimizer.apply_gradients(zip(tape.gradient(forger_loss, forger), forger))
        self.critic_optimizer.apply_gradients(zip(tape.gradient(critic_loss, critic), critic))
        del tape
        for mean, loss in zip(self.means, (forger_loss, critic_loss)):
            mean.update_state(loss)
        return {mean.name: mean.result() for mean in self.means}


def broken():
    gan = Gan()
    gan.compile(keras.optimizers.Adam(0.01), keras.optimizers.Adam(0.02))
    notes, noise = tf.reshape(tf.sin(tf.range(64.0) * 0.3), [16, 4]), tf.reshape(tf.cos(tf.range(48.0) * 0.7), [16, 3])
    gan.fit(tf.data.Dataset.from_tensor_slices((notes, noise)).batch(8), epochs=2, verbose=0)
    with tf.GradientTape() as tape:
        fake = gan.critic(gan.forger(noise, training=True))
        forger_loss = gan.loss_of(tf.ones_like(fake), fake)
    first, last = tape.gradient(forger_loss, [gan.forger.layers[0].kernel, gan.forger.layers[-1].kernel])
    return {"forger/forger_0/kernel": first, "forger/forger_out/kernel": last}


if __name__ == "__main__":
    print(broken())
