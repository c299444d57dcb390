"""What was lost in a recording, in words for the user."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def describe_losses(report: dict[str, Any], run_path: str) -> list[str]:
    """Return what a report of losses means to the user."""
    troubles = []
    if report.get("lost"):
        troubles.append(
            f"{report['lost']:,} records were lost: writing to {run_path} failed ({report['trouble']})"
        )
    if report.get("unsaved"):
        troubles.append(f"the run {run_path} {report['unsaved']}")
    if report.get("without_ring"):
        count = report["without_ring"]
        whose = "1 process" if count == 1 else f"{count:,} processes"
        troubles.append(f"phases of {whose} were not recorded: no room in /dev/shm")
    if report.get("lost_in_rings"):
        troubles.append(f"{report['lost_in_rings']:,} phases came faster than they could be kept")
    return troubles + [f"a source stopped ({fault})" for fault in report.get("faults", ())]
