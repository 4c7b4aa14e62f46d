// The processes that compute together: replicas of one program, each with its own part of the data.
//
// A launcher starts and numbers them (mpirun -n 4 PROGRAM); Open MPI carries what they exchange. A program
// that no launcher started is a group of one process and needs no MPI.
#pragma once
#include "engine/core/public.h"

namespace tapescope TAPESCOPE_PUBLIC {

// This process's number, from 0, and how many there are. The first call joins the group, which waits for the
// other processes. Throws Error (surroundings) where a launcher started several processes and this build has
// no MPI, or MPI cannot be started.
int process_rank();
int process_count();

}  // namespace tapescope
