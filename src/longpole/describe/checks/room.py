"""Resources that a task needs against those that there are."""

from __future__ import annotations

from collections.abc import Iterator

from longpole.describe.problems import Problems
from longpole.model.workflow import Template, Workflow
from longpole.units import Bytes, show_bytes


def check_resources(workflow: Workflow, cores: int, memory_bytes: Bytes, gpus: int, nodes: int) -> None:
    """Check that every task finds room on a machine.

    Args:
        workflow: The workflow.
        cores: How many cores one node has.
        memory_bytes: How much memory one node has.
        gpus: How many GPUs one node has.
        nodes: How many nodes there are.

    Raises:
        WorkflowError: Some task does not; one sentence on each line.
    """
    problems = Problems()
    there = {"cores": cores, "gpus": gpus, "nodes": nodes}
    for template in workflow.templates.values():
        problems.extend(_counts(workflow, template, there))
        memory = template.resources.memory_bytes
        if memory is not None and memory > memory_bytes:
            problems.add(_needs(workflow, template, show_bytes(memory), show_bytes(memory_bytes), "memory"))
    problems.complain()


def _counts(workflow: Workflow, template: Template, there: dict[str, int]) -> Iterator[str]:
    for key, word in (("cores", "core"), ("gpus", "GPU"), ("nodes", "node")):
        wanted = getattr(template.resources, key)
        if wanted > there[key]:
            yield _needs(workflow, template, _count(wanted, word), str(there[key] or "none"), key)


def _needs(workflow: Workflow, template: Template, wanted: str, there: str, key: str) -> str:
    what = f"{wanted} of memory" if key == "memory" else wanted
    return (
        f"{workflow.at(template.line)}Task '{template.name}' needs {what}; this machine has {there}. "
        f"Lower '{key}' or run it on another machine."
    )


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
