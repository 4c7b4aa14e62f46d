"""Two losses of an actor and a critic from one persistent tape, which is dropped afterwards."""
import tensorflow as tf

state = tf.constant([[0.4, -0.2], [0.1, 0.8]])


def broken():
    actor = tf.Variable([[0.3], [0.1]], name="actor")
    critic = tf.Variable([[0.2], [-0.4]], name="critic")
    with tf.GradientTape(persistent=True) as tape:
        action = tf.tanh(tf.matmul(state, actor))
        value = tf.matmul(state, critic)
        advantage = tf.stop_gradient(1.0 - value)
        actor_loss = -tf.reduce_mean(action * advantage)
        critic_loss = tf.reduce_mean(tf.square(1.0 - value))
    d_actor = tape.gradient(actor_loss, actor)
    d_critic = tape.gradient(critic_loss, critic)
    del tape
    return {"actor": d_actor, "critic": d_critic}


if __name__ == "__main__":
    print(broken())
