"""The workflows of ``benchmarks/engine.py``: so many tasks that do nothing, in one of four shapes."""

from typing import Literal

import steps

from longpole import Workflow


def workflow(shape: Literal["fan-out", "outputs", "chain", "functions"] = "fan-out", tasks: int = 300):
    """Return a workflow of so many tasks, and of one more, ``all``, that comes after them."""
    shaped = Workflow(shape)
    shaped.set("each", values=range(tasks))
    if shape == "fan-out":
        shaped.task("one", run="true", for_each="each")
        shaped.task("all", run="true", after="one")
    elif shape == "outputs":
        shaped.task("one", run="cp /dev/null {out}", for_each="each", outputs={"out": "out/{each}"})
        shaped.task(
            "all", run="cp {made.list} {names}", inputs={"made": "out/{each}"}, outputs={"names": "all"}
        )
    elif shape == "chain":
        shaped.set("before", values=range(tasks - 1))
        shaped.set("after", values=range(1, tasks))
        shaped.task("first", run="cp /dev/null {out}", outputs={"out": "step0"})
        shaped.task(
            "one",
            run="cp {src} {out}",
            for_each={"zip": ["before", "after"]},
            inputs={"src": "step{before}"},
            outputs={"out": "step{after}"},
        )
    else:
        made = shaped.call("one", steps.nothing, for_each="each")
        shaped.call("all", steps.how_many, made)
    return shaped
