"""Starting a task: its lists and directories, its variables and GPUs, its container and its memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from time import monotonic_ns

from longpole.model.containers import Inside
from longpole.model.ports import Runtime
from longpole.record.surroundings import TASK_VARIABLE
from longpole.run.containers.read_only import read_only_mounts
from longpole.run.engines.local.outputs import Outputs
from longpole.run.engines.local.processes import Processes
from longpole.run.engines.local.programs import find_program
from longpole.run.engines.local.settings import Settings
from longpole.run.engines.local.short_jobs import Request
from longpole.run.engines.local.staging import IMAGE_FOLDER, image_item, is_sent
from longpole.run.engines.opened import Execution, OpenJob
from longpole.run.orders import JOB_VARIABLE, LISTS_FOLDER, Output, TaskOrder
from longpole.store.derive.workflow_notes import Part

TELLER = "Longpole"


class Starting:
    """Starts the processes of tasks."""

    def __init__(self, settings: Settings, processes: Processes, outputs: Outputs) -> None:
        """Take what starts them, and where they write to."""
        self._settings = settings
        self._processes = processes
        self._outputs = outputs
        self._free_gpus = list(settings.gpus)
        self._images: dict[str, tuple[Runtime, str]] = {}

    def prepare(self, job: OpenJob, order: TaskOrder) -> None:
        """Make what a task expects in its folder.

        Raises:
            OSError: There is no room.
        """
        if order.lists:
            _write_lists(order.lists, job.folder)
        if order.outputs:
            for name in _parents(order.outputs):
                os.makedirs(os.path.join(job.folder, name), exist_ok=True)

    def spawn(self, job: OpenJob, execution: Execution) -> None:
        """Start the process of a task; ``give_back`` follows, also if that cannot be done.

        Raises:
            OSError: Its program cannot be executed.
            ContainerError: Its image cannot be used.
        """
        order = execution.order
        arguments = list(order.arguments)
        environment = {**self._settings.environment, **self.variables(job, execution)}
        if order.template.image:
            arguments = self._contained(job, order, environment)
        if order.memory_bytes is not None:
            key = f"{job.identity}.{job.attempt}.{order.task}"
            execution.limit = self._settings.limits.create(key, order.memory_bytes)
            arguments = execution.limit.wrap([find_program(arguments[0], environment), *arguments[1:]])
        arguments[0] = find_program(arguments[0], environment)
        execution.output = self._outputs.take()
        execution.start_ns = monotonic_ns()
        execution.pid = self._processes.start(arguments, environment, job.folder, execution.output[0])
        if execution.limit is not None:
            execution.limit.started(execution.pid)

    def request(self, job: OpenJob, execution: Execution) -> Request:
        """Return a plain job for a worker.

        Raises:
            OSError: Its program is not there.
        """
        order, own = execution.order, self.variables(job, execution)
        program = find_program(order.arguments[0], order.environment)
        return Request(
            [program, *order.arguments[1:]],
            own,
            job.folder,
            order.inputs,
            tuple(_parents(order.outputs)) if order.outputs else (),
            tuple((output.name, output.optional) for output in order.outputs),
            job.output_name(order.task),
        )

    def give_back(self, job: OpenJob, execution: Execution) -> None:
        """Take back the GPUs and the output of a task that has ended, or that could not be started."""
        self._free_gpus += execution.gpus
        execution.gpus = ()
        if execution.output is not None:
            task = execution.order.task
            job.note_output(task, self._outputs.give_back(execution.output, lambda: job.output_name(task)))

    def mark(self, job: OpenJob, task: int | None = None) -> str:
        """Return what all processes of an attempt of a job are known by; of several tasks, those of one."""
        mark = f"{self._settings.run_id}:{job.identity}:{job.attempt}"
        return f"{mark}:{job.task_ids(task)}" if job.shared and task is not None else mark

    def variables(self, job: OpenJob, execution: Execution) -> dict[str, str]:
        """Return the variables of a task beside those of all; GPUs are given out with them."""
        order = execution.order
        own = {
            JOB_VARIABLE: self.mark(job, order.task),
            TASK_VARIABLE: f"{TELLER}:{job.task_ids(order.task)}:{job.attempt}",
            **order.environment,
        }
        count = order.template.resources.gpus
        if count:
            execution.gpus = tuple(self._free_gpus[:count])
            del self._free_gpus[:count]
            own["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, execution.gpus))
        return own

    def release(self, folder: str) -> None:
        """Let go of the images in the folder of a job, where images are brought to jobs."""
        for place in [place for place in self._images if place.startswith(f"{folder}/")]:
            runtime, prepared = self._images.pop(place)
            runtime.release(prepared)

    def close(self) -> None:
        """Let go of all images."""
        for runtime, prepared in self._images.values():
            runtime.release(prepared)
        self._images = {}

    def _contained(self, job: OpenJob, order: TaskOrder, environment: Mapping[str, str]) -> list[str]:
        """Return the command line of a task in its container; making its image ready is a phase."""
        start_ns = monotonic_ns()
        image = order.template.image
        sent = self._settings.sends_images and is_sent(image)
        place = os.path.join(job.folder, image_item(image).name) if sent else image
        if place not in self._images:
            runtime = self._settings.runtime(place)
            self._images[place] = runtime, runtime.prepare(place)
        runtime, prepared = self._images[place]
        inside = Inside(job.folder, self._read_only(job, order), environment, self._settings.shared)
        command = runtime.command(prepared, inside, order.arguments)
        of_task = job.task_ids(order.task) if job.shared else 0
        job.parts.append(Part("container", start_ns, monotonic_ns(), task=of_task, name=runtime.name))
        return command

    def _read_only(self, job: OpenJob, order: TaskOrder) -> tuple[str, ...]:
        inputs = [item.name for item in order.inputs]
        if self._settings.sends_images:
            inputs.append(f"{IMAGE_FOLDER}/")
        made = [output.name for each in job.orders.values() for output in each.outputs]
        return read_only_mounts(inputs, [*made, *order.left, f"{LISTS_FOLDER}/x.list"])


def _write_lists(lists: Mapping[str, tuple[str, ...]], folder: str) -> None:
    for name, names in lists.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(f"{each}\n" for each in names)


def _parents(outputs: Iterable[Output]) -> set[str]:
    """Return the directories that outputs are to lie in: a user expects them to be there."""
    fixed = (output.name.partition("{")[0] if output.open else output.name.rstrip("/") for output in outputs)
    return {name.rpartition("/")[0] for name in fixed} - {""}
