"""All container runtimes: by name, and the best for an image on this machine."""

from __future__ import annotations

from longpole.model.containers import ContainerError
from longpole.model.ports import Runtime
from longpole.run.containers.apptainer import Apptainer
from longpole.run.containers.bwrap import Bubblewrap
from longpole.run.containers.images import ImageKind, kind_of
from longpole.run.containers.none import NoContainer
from longpole.run.containers.podman import Podman

AUTO = "auto"
_RUNTIMES: dict[str, type[Runtime]] = {
    kind.name: kind for kind in (NoContainer, Bubblewrap, Apptainer, Podman)
}
# Whoever starts soonest, and keeps the command in the tree of processes that we watch, comes first.
_ABLE = {
    ImageKind.DIRECTORY: (Bubblewrap, Apptainer, Podman),
    ImageKind.SQUASHFS: (Bubblewrap, Apptainer, Podman),
    ImageKind.SIF: (Apptainer,),
    ImageKind.REFERENCE: (Apptainer, Podman),
}
NAMES = (AUTO, *_RUNTIMES)


def runtime_named(name: str) -> Runtime:
    """Return a runtime by its name, as in ``--container bwrap``, whether it can be used here or not.

    Raises:
        ContainerError: There is none of this name.
    """
    if name not in _RUNTIMES:
        raise ContainerError(f"There is no container runtime '{name}'. Choose one of {', '.join(NAMES)}.")
    return _RUNTIMES[name]()


def choose(image: str) -> Runtime:
    """Return the runtime for an image, by what the image is and what can be used here; none for no image.

    Raises:
        ContainerError: The image is none, or nothing that is installed takes it.
    """
    if not image:
        return NoContainer()
    kind = kind_of(image)
    able: list[Runtime] = [runtime() for runtime in _ABLE[kind] if _takes(runtime, image)]
    reasons = []
    for runtime in able:
        if not (reason := runtime.missing()):
            return runtime
        reasons.append(reason[0].upper() + reason[1:])
    raise ContainerError(f"Nothing here can run the image '{image}', a {kind}. {' '.join(reasons)}")


def _takes(runtime: type[Runtime], image: str) -> bool:
    """Return whether a runtime can know a reference: names of one machine are podman's."""
    return runtime is not Apptainer or "://" in image or not image.startswith("localhost/")
