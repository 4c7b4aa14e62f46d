"""A pilot learns to steer a ship into a harbour; the ship is simulated with NumPy, and its moves are sampled."""
import numpy as np
import tensorflow as tf


class Ship:
    """Position and speed along a channel."""

    def __init__(self, start):
        self.state = np.array([start, 0.0], np.float32)

    def move(self, engine):
        place, speed = self.state
        speed = 0.9 * speed + 0.1 * (engine - 1)
        self.state = np.array([place + speed, speed], np.float32)
        return -abs(float(self.state[0]))


class Pilot(tf.Module):
    def __init__(self):
        super().__init__(name="pilot")
        self.watch = tf.Variable(0.5 * tf.reshape(tf.sin(tf.range(16.0)), [2, 8]), name="watch")
        self.order = tf.Variable(0.5 * tf.reshape(tf.cos(tf.range(24.0)), [8, 3]), name="order")

    def logits(self, states):
        return tf.tanh(states @ self.watch) @ self.order


def sail(pilot, ship, moves, chance):
    states, orders, rewards = [], [], []
    for move in range(moves):
        state = ship.state
        shares = tf.nn.softmax(pilot.logits(tf.constant(state[np.newaxis])))[0].numpy()
        order = int(np.searchsorted(np.cumsum(shares), chance(move) * 0.999))
        states.append(state)
        orders.append(min(order, 2))
        rewards.append(ship.move(orders[-1]))
    returns = np.cumsum(rewards[::-1])[::-1].astype(np.float32)
    return np.stack(states), orders, returns - returns.mean()


def learn(voyages=5, moves=12):
    pilot = Pilot()
    optimizer = tf.keras.optimizers.Adam(0.02)
    weights = [pilot.watch, pilot.order]
    for voyage in range(voyages):
        states, orders, returns = sail(pilot, Ship(0.6 - 0.2 * voyage), moves, lambda move: (0.37 * (move + voyage)) % 1)
        with tf.GradientTape() as tape:
            miss = tf.nn.sparse_softmax_cross_entropy_with_logits(orders, pilot.logits(tf.constant(states)))
            loss = tf.reduce_mean(miss * returns)
        grads = tape.gradient(loss, weights)
        optimizer.apply_gradients(zip(grads, weights))
        print(f"voyage {voyage}: {float(loss):.3f}")
    return {"watch": grads[0], "order": grads[1]}


def broken():
    return learn()


if __name__ == "__main__":
    print(broken())
