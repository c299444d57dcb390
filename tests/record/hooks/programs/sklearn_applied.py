"""Applies the hooks to libraries that are loaded already, takes them off again, and says what differs."""

import sys
import tempfile

import joblib
import joblib.parallel
import optuna
import sklearn.base
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import longpole
from longpole.record.client.phases import start_recording
from longpole.record.hooks.applying import apply_hook, uninstall

PLACES = (
    *(sklearn.base.BaseEstimator, sklearn.base.ClassifierMixin, LogisticRegression, StandardScaler),
    *(joblib.Parallel, joblib.parallel.BatchedCalls, optuna.Study, optuna.study._optimize),
    *(vars(Pipeline)["predict"], sys.modules["multiprocessing.process"].BaseProcess),
)
HOOKS = {
    "sklearn": "sklearn.base",
    "joblib": "joblib",
    "optuna": "optuna",
    "multiprocessing": "multiprocessing.process",
}


def look():
    return [dict(vars(place)) for place in PLACES]


def differences(before):
    return [
        sorted(name for name in now.keys() | then.keys() if now.get(name) is not then.get(name))
        for now, then in zip(look(), before, strict=True)
    ]


before = look()
for _ in range(2):
    with tempfile.TemporaryDirectory() as folder:
        start_recording(folder)
        for hook, module in HOOKS.items():
            apply_hook(hook, sys.modules[module])
        print(differences(before))
        LogisticRegression().fit([[0.0], [1.0]], [0, 1])
        uninstall(None)
        start_recording("")
    print(differences(before))


class Later(LogisticRegression):
    pass


print(Later().fit([[0.0], [1.0]], [0, 1]).predict([[2.0]]), longpole.phase("nothing").name)
