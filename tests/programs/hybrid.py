#!/usr/bin/env python3
"""hybrid.c's work in Python: ranks by mpi4py, OpenMP threads in a library.

usage: hybrid.py LIBRARY [openmp-first]

LIBRARY is team.c with placement.c.  With openmp-first it is loaded, and its
runtime counts CPUs, before MPI starts.
"""

import ctypes
import sys


def load():
    library = ctypes.CDLL(sys.argv[1])
    library.team_work.restype = ctypes.c_long
    library.team_max_threads()
    return library


if "openmp-first" in sys.argv:
    team = load()
    from mpi4py import MPI
else:
    from mpi4py import MPI
    team = load()

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
team.placement_start(rank, size, team.team_max_threads())
total = team.team_work(rank, 0) + team.team_work(rank, 1)
team.placement_end()

for i, number in enumerate(comm.gather(total) or []):
    print(f"rank {i} of {size}: {number}")
