"""Fails in a trial, in one thread and then in another."""

import logging
import sys
import traceback

import optuna

optuna.logging.get_logger("optuna").handlers[0].setFormatter(logging.Formatter("%(levelname)s %(message)s"))


def fail(trial):
    raise RuntimeError("as meant")


def nest(trial):
    inner = optuna.create_study(study_name="inner", sampler=optuna.samplers.RandomSampler(seed=1))
    inner.optimize(fail, n_trials=1)


study = optuna.create_study(study_name="failing", sampler=optuna.samplers.RandomSampler(seed=1))
for jobs in (1, 2):
    try:
        study.optimize(fail, n_trials=1, n_jobs=jobs)
    except RuntimeError:
        traceback.print_exc(file=sys.stdout)
study.optimize(nest, n_trials=1)
