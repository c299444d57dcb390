"""Trains with Keras in several ways, and prints all that comes out, to the last bit."""

import hashlib
import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
import torch

keras.utils.set_random_seed(7)
X = np.random.rand(40, 4).astype("float32")
Y = X.sum(1, keepdims=True)


class Unbuilt(keras.Model):
    """A model whose layers are built by the first batch."""

    def __init__(self):
        super().__init__()
        self.hidden = keras.layers.Dense(8, activation="relu")
        self.out = keras.layers.Dense(1)

    def call(self, x, training=False):
        return self.out(self.hidden(x))


class Twofold(Unbuilt):
    """A model with two optimizers, which step one after the other in each batch."""

    def train_step(self, data):
        x, y = data
        for optimizer, layer in zip(self.optimizers, (self.hidden, self.out), strict=True):
            self.zero_grad()
            loss = self.compute_loss(x, y, self(x, training=True))
            loss.backward()
            weights = layer.trainable_weights
            with torch.no_grad():
                optimizer.apply([weight.value.grad for weight in weights], weights)
        return {"loss": loss}


class Logged(keras.callbacks.Callback):
    """A callback that says what it hears."""

    def __init__(self):
        super().__init__()
        self.heard = []

    def on_epoch_end(self, epoch, logs=None):
        self.heard.append((epoch, sorted(logs)))

    def on_train_batch_end(self, batch, logs=None):
        self.heard.append(batch)


def sequential():
    layers = keras.layers
    model = keras.Sequential([keras.Input((4,)), layers.Dense(8), layers.Dropout(0.5), layers.Dense(1)])
    model.compile("adam", "mse", metrics=["mae"])
    return model


def show(name, model, history):
    digest = hashlib.sha256(b"".join(weight.tobytes() for weight in model.get_weights())).hexdigest()
    modules = [name for name, _ in model.named_modules()]
    print(
        name, repr(history.history), digest, list(model.state_dict()), modules, len(list(model.parameters()))
    )


def stop(model):
    model.stop_training = True


model, logged = sequential(), Logged()
print(
    [layer.name for layer in model.layers], model.fit.__name__, model.fit.__doc__ == keras.Model.fit.__doc__
)
show("sequential", model, model.fit(X, Y, 8, 3, 0, [logged], validation_split=0.2))
print(logged.heard, model.evaluate(X, Y, verbose=0), model.predict(X, verbose=0, batch_size=20).sum())
print(model.train_on_batch(X, Y), model.test_on_batch(X, Y), model.predict_on_batch(X).sum())

model = Unbuilt()
model.compile(keras.optimizers.SGD(gradient_accumulation_steps=2), "mse")
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(*map(torch.tensor, (X, Y))), batch_size=8)
show("loader", model, model.fit(loader, verbose=0, epochs=2))

model = Twofold()
model.compile("sgd", "mse")
model.optimizers = [keras.optimizers.SGD(0.1), keras.optimizers.SGD(0.1)]
early = keras.callbacks.LambdaCallback(on_epoch_end=lambda *_: stop(model))
show("twofold", model, model.fit(X, Y, batch_size=8, epochs=5, verbose=0, callbacks=[early]))

listed = keras.callbacks.CallbackList([], add_history=True, add_progbar=True, model=model)
print([type(callback).__name__ for callback in listed.callbacks], listed._async_train)
print(np.random.rand(), torch.rand(1), keras.random.uniform((1,)))
