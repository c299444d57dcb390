"""Searches in one thread and in two, prunes, fails, asks and tells; says what came out, to the last bit."""

import optuna

import longpole

optuna.logging.set_verbosity(optuna.logging.ERROR)


def objective(trial):
    x = trial.suggest_float("x", -10, 10)
    colour = trial.suggest_categorical("colour", ["red", "green", None])
    with longpole.phase("inside", number=trial.number):
        pass
    for step in range(3):
        trial.report(x + step, step)
    if trial.number == 3:
        raise optuna.TrialPruned
    if trial.number == 4:
        raise ValueError("as meant")
    if trial.number == 5:
        return float("nan")
    return (x - 2) ** 2 + (colour == "red")


def two(trial):
    x = trial.suggest_int("x", 0, 9)
    return x, -x


study = optuna.create_study(study_name="one thread", sampler=optuna.samplers.TPESampler(seed=7))
with longpole.phase("whole"):
    study.optimize(objective, n_trials=14, catch=(ValueError,), callbacks=[lambda study, trial: None])
for trial in study.trials:
    print(trial.number, trial.state, trial.values, trial.params, trial.intermediate_values)
print(study.best_params, study.sampler._rng.rng.random())

threads = optuna.create_study(study_name="two threads", sampler=optuna.samplers.RandomSampler(seed=7))
threads.optimize(
    lambda trial: objective(trial) if trial.number not in (3, 4, 5) else 1.0, n_trials=8, n_jobs=2
)
print(len(threads.trials), {trial.state.name for trial in threads.trials})

pair = optuna.create_study(
    study_name="pair", directions=["minimize", "maximize"], sampler=optuna.samplers.RandomSampler(seed=7)
)
pair.optimize(func=two, n_trials=2)
print([trial.values for trial in pair.trials])

asked = optuna.create_study(study_name="asked", sampler=optuna.samplers.RandomSampler(seed=7))
with longpole.phase("loop"):
    trials = [asked.ask() for _ in range(3)]
    for trial in trials[:2]:
        print(asked.tell(trial, trial.suggest_float("x", 0, 1)).value)
    print(asked.tell(2, state=optuna.trial.TrialState.PRUNED).state)
    print(asked.tell(2, 1.0, skip_if_finished=True).state)
    asked.ask()  # nobody tells
try:
    asked.tell(77, 1.0)
except ValueError as error:
    print(error)


class StopError(Exception):
    """Ends a search from within a trial."""


def stop(trial):
    raise StopError


for wrong in (
    lambda: asked.optimize(stop, n_trials=1),
    asked.optimize,
    lambda: asked.optimize(3, 1),
):
    try:
        wrong()
    except (StopError, TypeError) as error:
        print(type(error).__name__, error)
