"""One rank of a training in parallel: rank R takes 4 + 2 R steps of its own and 3 together with all."""

import atexit
import os
import sys

import torch
from prog_loop import train


def work(rank, world):
    torch.distributed.init_process_group("gloo", rank=rank, world_size=world)
    train(4 + 2 * rank)
    loss = train(3, torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1)))
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
    if rank == 0:
        print(repr(loss))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        os.environ.update({"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": sys.argv[1]})
        torch.multiprocessing.spawn(work, args=(2,), nprocs=2)
    else:
        work(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
        # Gloo's threads may outlive the process group and abort the process when its libraries are unloaded.
        sys.stdout.flush()
        atexit._run_exitfuncs()
        os._exit(0)
