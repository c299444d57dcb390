"""Records, twice, a Keras that is loaded already; says whether all is as before after each time."""

# ruff: noqa: E402  our package comes in after what it is to look into

import os
import sys

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np

X, Y = np.ones((12, 2), "float32"), np.ones((12, 1), "float32")


def look():
    """Return all that the hooks might change."""
    places = [*keras.Model.__mro__, *keras.Optimizer.__mro__, keras.callbacks.CallbackList]
    return [{name: id(value) for name, value in vars(place).items()} for place in places]


model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(X, Y, batch_size=4, verbose=0)
before = look()

import longpole

for name in ("first", "second"):
    with longpole.record(name, runs=sys.argv[1]):
        print(look() == before)
        model.fit(X, Y, batch_size=4, epochs=2, verbose=0)
    print(look() == before)
session = longpole.record("stopped within", runs=sys.argv[1])
session.__enter__()
stop = keras.callbacks.LambdaCallback(
    on_train_batch_begin=lambda *_, **__: session.__exit__(None, None, None)
)
model.fit(X, Y, batch_size=12, verbose=0, callbacks=[stop])
print(look() == before, len(model.fit(X, Y, verbose=0).history["loss"]))
