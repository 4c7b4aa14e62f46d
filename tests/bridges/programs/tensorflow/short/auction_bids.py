"""A buyer and a seller, each with a tape; one loss is asked of the wrong book."""
import sys

import tensorflow as tf

prices = tf.constant([3.0, 5.0, 8.0])


def broken():
    bid = tf.Variable(4.0, name="bid")
    ask = tf.Variable(6.0, name="ask")
    with tf.GradientTape() as seller:
        seller_loss = tf.reduce_mean(tf.nn.softplus(ask - prices))
    with tf.GradientTape() as buyer:
        buyer_loss = tf.reduce_mean(tf.nn.softplus(prices - bid))  #!
    d_ask = seller.gradient(seller_loss, ask)
    d_bid = seller_gradient(seller, buyer, buyer_loss, bid)
    return {"ask": d_ask, "bid": d_bid}


def seller_gradient(first, second, loss, variable):
    book = tf.GradientTape()
    with book:
        book.watch(variable)
    return book.gradient(loss, variable)  #~


def fixed():
    bid = tf.Variable(4.0, name="bid")
    ask = tf.Variable(6.0, name="ask")
    with tf.GradientTape() as seller:
        seller_loss = tf.reduce_mean(tf.nn.softplus(ask - prices))
    with tf.GradientTape() as buyer:
        buyer_loss = tf.reduce_mean(tf.nn.softplus(prices - bid))
    return {"ask": seller.gradient(seller_loss, ask), "bid": buyer.gradient(buyer_loss, bid)}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())
