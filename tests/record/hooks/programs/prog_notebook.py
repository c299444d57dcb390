"""Runs cells in a kernel of Jupyter, as a notebook does, and prints what they say."""

import sys

from jupyter_client.manager import start_new_kernel

CELLS = [
    """
import sys
sys.path.insert(0, {programs!r})
import torch
from prog_loop import train
optimizing = sys.modules["torch.optim.optimizer"]
loader = torch.utils.data.DataLoader([1])
classes = torch.nn.Module, torch.nn.Linear, type(loader), *type(iter(loader)).__mro__
def state():
    "Everything in PyTorch that a hook may change, and where importing starts."
    modules = [module for name, module in sorted(sys.modules.items()) if name.partition(".")[0] == "torch"]
    functions = {{(str(owner), name): value for owner in [*modules, *classes]
                 for name, value in vars(owner).items() if callable(value) and not isinstance(value, type)}}
    hooks = [len(value) for name, value in vars(optimizing).items() if name.startswith("_global_optimizer")]
    return functions, hooks, list(sys.meta_path), list(sys.path)
train(2)
before = state()
""",
    """
import longpole
with longpole.record("notebook", runs={runs!r}):
    train(9)
    during = state()
""",
    """
after = state()
print(after == before, during == before)
train(4)
with longpole.record("again", runs={runs!r}):
    print(repr(train(6)))
print(state() == before)
""",
]


def run(client, cell):
    """Run one cell and print what it says; leave with its error if it fails."""

    def show(message):
        content = message["content"]
        if message["msg_type"] == "stream":
            print(content["text"], end="", file=getattr(sys, content["name"]))
        if message["msg_type"] == "error":
            sys.exit("\n".join(content["traceback"]))

    client.execute_interactive(cell, timeout=90, output_hook=show)


manager, client = start_new_kernel(kernel_name="python3")
try:
    for cell in CELLS:
        run(client, cell.format(programs=sys.argv[1], runs=sys.argv[2]))
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
