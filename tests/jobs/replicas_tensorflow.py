"""A user's program of two workers, whose TF_CONFIG the test sets: replicas_tensorflow.py function|eager [parts|slow|heavy|endless].

parts: worker 1 writes into its copy of w after step 4; slow: it rests before each step; heavy: it computes more in each step, before what
it exchanges; endless: the steps have no end.
"""
import itertools
import sys
import time

import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id
with strategy.scope():
    w = tf.Variable(tf.ones([4, 1]), name="w")
    b = tf.Variable(0.0, name="b")
x = tf.random.stateless_normal([32, 4], [1, rank])
y = tf.reduce_sum(x, 1, keepdims=True)
big = tf.fill([500, 500], 0.002) if rank == 1 and sys.argv[2:] == ["heavy"] else None


def replica(x, y):
    if big is not None:
        product = big
        for _ in range(10):
            product = product @ big
        x = x + 0.0 * product[0, 0]
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x @ w + b - y))
    gradients = tape.gradient(loss, [w, b])
    gradients = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.MEAN, gradients)
    w.assign_sub(0.05 * gradients[0])
    b.assign_sub(0.05 * gradients[1])
    return loss


def train(x, y):
    return strategy.run(replica, args=(x, y))


if sys.argv[1] == "function":
    train = tf.function(train)
for step in itertools.count() if sys.argv[2:] == ["endless"] else range(40):
    if rank == 1 and sys.argv[2:] == ["slow"]:
        time.sleep(0.05)
    loss = train(x, y)
    if rank == 0 and step < 40:
        print(f"step {step}: {float(loss):.4f}")
    if rank == 1 and sys.argv[2:] == ["parts"] and step == 4:
        w.values[0].assign(tf.zeros([4, 1]))
