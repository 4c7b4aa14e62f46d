// The job that this process is one of, as its launcher says in the environment.
#pragma once
#include <string>

#include "engine/recording/contents.h"

namespace tapescope::record {

// "host" always; "rank", counted from 0, and "size" where a launcher set them; "job", a text that all
// processes of the job share and other jobs do not, where it can be had. Of launchers inside another one the
// inner one counts: torchrun, Open MPI, PMI (MPICH, Intel MPI), Slurm, RANK as torch.distributed reads it,
// TF_CONFIG. Of
// TensorFlow's cluster the tasks count in the order chief, worker, ps. What is no number is left out.
ProgramFacts job_facts();

}  // namespace tapescope::record
