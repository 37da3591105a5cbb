"""A small network trained by the workers of torchrun, on CPUs, by gloo.

    torchrun --nproc-per-node 2 train.py [fork|forkserver|spawn]

With a way to start processes there are two data loaders.  Each worker prints
lines "rank R KEY VALUE": the loss of each step to its last bit, its CPUs when it
began and when it ends, how many threads PyTorch takes for itself, and the CPUs
of each of its threads and data loaders and of a program that it starts.
"""
import os
import subprocess
import sys

import torch
import torch.distributed
import torch.utils.data


def cpus(process="self", task=None):
    """The CPUs of a process or of one of its threads, as the kernel has them."""
    path = f"/proc/{process}/status" if task is None else f"/proc/{process}/task/{task}/status"
    with open(path, encoding="ascii") as status:
        lines = dict(line.split(":", 1) for line in status)
    return lines["Name"].strip().replace(" ", "_"), lines["Cpus_allowed_list"].strip()


def tell(key, value):
    """One write: the lines of two workers may not be mixed."""
    os.write(1, f"rank {os.environ['RANK']} {key} {value}\n".encode())


def loader_begins(number):
    tell("loader", f"{number} {cpus()[1]}")


def main():
    way = sys.argv[1] if len(sys.argv) > 1 else None
    tell("begin", ",".join(map(str, sorted(os.sched_getaffinity(0)))))
    tell("threads", torch.get_num_threads())
    torch.distributed.init_process_group("gloo")
    rank, size = torch.distributed.get_rank(), torch.distributed.get_world_size()
    torch.manual_seed(1)
    x = torch.randn(512, 64)
    y = x.sin().sum(1, keepdim=True)
    net = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1))
    net = torch.nn.parallel.DistributedDataParallel(net)
    step = torch.optim.SGD(net.parameters(), lr=0.01)
    own = torch.utils.data.TensorDataset(x[rank::size], y[rank::size])
    more = {"num_workers": 2, "multiprocessing_context": way, "worker_init_fn": loader_begins} if way else {}
    for inputs, outputs in torch.utils.data.DataLoader(own, batch_size=32, **more):
        step.zero_grad()
        loss = torch.nn.functional.mse_loss(net(inputs), outputs)
        loss.backward()
        step.step()
        tell("loss", loss.item().hex())
    helper = [sys.executable, "-c", "import os; print(*sorted(os.sched_getaffinity(0)), sep=',')"]
    tell("helper", subprocess.run(helper, check=True, capture_output=True, text=True).stdout.strip())
    for task in sorted(os.listdir("/proc/self/task")):
        tell("thread", " ".join(cpus(task=task)))
    tell("end", ",".join(map(str, sorted(os.sched_getaffinity(0)))))
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
