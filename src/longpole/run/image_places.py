"""Where container images lie: a path is seen from the workflow's folder, wherever a run is started from."""

from __future__ import annotations

import os
from dataclasses import replace

from longpole.model.workflow import Place, Workflow
from longpole.run.containers.images import is_reference
from longpole.run.locations import plain_path

_NOWHERE = Place()


def with_images_in_place(workflow: Workflow) -> Workflow:
    """Return a workflow whose images have absolute paths; what a registry has keeps its name."""
    if not any(template.image for template in workflow.templates.values()):
        return workflow
    placed = {
        name: replace(template, image=_place(workflow, template.image))
        for name, template in workflow.templates.items()
    }
    return replace(workflow, templates=placed)


def _place(workflow: Workflow, image: str) -> str:
    if not image:
        return image
    told = workflow.files.get(image, _NOWHERE).path
    path = plain_path(os.path.join(workflow.folder, told or image))
    return path if os.path.lexists(path) or not is_reference(image) else image
