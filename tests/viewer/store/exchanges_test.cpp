// Which ops are exchanges between the processes of a job.
#include "engine/events/exchanges.h"

#include "engine/core/names.h"
#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("ops that exchange are known by how their names begin", "[store]") {
  for (const char* name :
       {"CollectiveReduceV2", "c10d::allreduce_", "_c10d_functional::all_reduce", "NcclAllReduce"})
    CHECK(is_exchange(intern_op_name(name)));
  for (const char* name : {"MatMul", "ReduceCollective", "nccl", "c10", ""})
    CHECK_FALSE(is_exchange(intern_op_name(name)));
}
