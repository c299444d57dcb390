"""Fails in each place where Keras calls the program, and at last for good; says every time how."""

import os
import sys
import traceback
import warnings

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np

# Keras calls back in threads of its own, which warn now sooner and now later.
warnings.filterwarnings("ignore", "__array__ implementation", DeprecationWarning)
X = np.ones((8, 2), "float32")
Y = X.sum(1, keepdims=True)


class Breaking(keras.callbacks.Callback):
    """A callback that raises when one of its methods is called."""

    def __init__(self, method):
        super().__init__()
        setattr(self, method, self.break_down)

    def break_down(self, *_, **__):
        raise RuntimeError("as meant")


class Odd(keras.Model):
    """A model that raises in one of its methods."""

    def __init__(self, where):
        super().__init__()
        self.where = where
        self.dense = keras.layers.Dense(1)
        self.calls = 0

    def call(self, x):
        self.calls += 1
        if self.where == "call" and self.calls == 3:
            raise RuntimeError("as meant")
        return self.dense(x)

    def train_step(self, data):
        if self.where == "train_step":
            raise RuntimeError("as meant")
        return super().train_step(data)

    def compute_loss(self, *args, **kwargs):
        if self.where == "compute_loss" and self.calls > 2:
            raise KeyboardInterrupt
        return super().compute_loss(*args, **kwargs)


def fit(where="", method="on_nothing"):
    model = Odd(where)
    model.compile("sgd", "mse")
    model.fit(X, Y, batch_size=4, verbose=0, validation_data=(X, Y), callbacks=[Breaking(method)])


def batches():
    yield X, Y
    raise RuntimeError("as meant")


METHODS = ["epoch_begin", "train_batch_begin", "train_batch_end", "test_begin", "test_batch_end", "epoch_end"]
for name in METHODS:
    try:
        fit(method=f"on_{name}")
    except RuntimeError:
        traceback.print_exc()
for name in ("call", "train_step", "compute_loss"):
    try:
        fit(where=name)
    except (RuntimeError, KeyboardInterrupt):
        traceback.print_exc()
keras.config.disable_traceback_filtering()
try:
    Odd("").predict(batches(), verbose=0)
except RuntimeError:
    traceback.print_exc()
print("said", file=sys.stderr)
fit(where="train_step")
