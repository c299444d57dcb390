"""An agent beside a program that records itself: a process of its own, and no child of the program."""

from __future__ import annotations

import json
import os

from longpole.record.assignment import Assignment
from longpole.record.link import be_agent
from longpole.record.privileged import let_see_exits


def main(request: str) -> None:
    """Leave the program's side, then be the agent that ``request`` asks for."""
    facts = json.loads(request)
    starter = os.getpid()
    if os.fork():
        os._exit(0)
    assignment = Assignment(facts["path"], facts["rings"], 0)
    assignment.root, assignment.starter = facts["pid"], starter
    assignment.command, assignment.name, assignment.folder = facts["command"], facts["name"], facts["folder"]
    let_see_exits(assignment)
    be_agent(assignment, facts["control"], facts["answer"])
