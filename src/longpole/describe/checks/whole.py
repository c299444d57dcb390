"""All checks that need nothing but the workflow itself."""

from __future__ import annotations

from longpole.describe.checks.calls import call_problems
from longpole.describe.checks.cycles import cycle_problems
from longpole.describe.checks.fan_out import fan_out_problems
from longpole.describe.checks.naming import naming_problems
from longpole.describe.checks.outputs import output_problems
from longpole.describe.checks.places import place_problems
from longpole.describe.checks.within import within_problems
from longpole.describe.problems import Problems
from longpole.model.workflow import Workflow


def check_workflow(workflow: Workflow) -> None:
    """Check names, sets, places, producers and cycles.

    Raises:
        WorkflowError: Something does not hold; one sentence on each line.
    """
    problems = Problems()
    if not workflow.templates:
        problems.add(f"{workflow.at(0)}The workflow has no tasks; describe some under 'tasks'.")
    problems.extend(naming_problems(workflow))
    problems.extend(within_problems(workflow))
    problems.extend(fan_out_problems(workflow))
    problems.extend(place_problems(workflow))
    problems.extend(call_problems(workflow))
    # What follows takes for granted that every place is a set's.
    problems.complain()
    problems.extend(output_problems(workflow))
    problems.extend(cycle_problems(workflow))
    problems.complain()
