"""Fits 3 epochs of 60 short steps, each with a validation of 2 batches."""

import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np

X, Y = np.ones((60, 2), "float32"), np.ones((60, 1), "float32")
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(X, Y, batch_size=1, epochs=3, verbose=0, validation_data=(X[:2], Y[:2]))
