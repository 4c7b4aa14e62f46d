// Batching rules by the form of an op's attributes; rows name theirs. Elementwise rows need none.
#pragma once
#include "engine/ops/batch.h"

namespace tapescope::batch_rules {

// batch_shape.cpp
void leading(BatchContext&);  // the op takes any dimensions in front: all operands are repeated as needed
void axes(BatchContext&);     // every int is an axis
void axis(BatchContext&);     // the first int is an axis, all operands have the rows
void second_int_axis(BatchContext&);
void fill(BatchContext&);
void reshape_to(BatchContext&);  // the ints are the result's shape
void broadcast(BatchContext&);
void permute(BatchContext&);
void repeat(BatchContext&);     // an int a dimension: how often
void axis_bits(BatchContext&);  // flags hold a bit an axis
void box(BatchContext&);        // begins, then sizes
void strided(BatchContext&);
void strided_grad(BatchContext&);
void margins(BatchContext&);  // two ints a dimension

// batch_linalg.cpp
void product(BatchContext&);
void einsum(BatchContext&);
void solve(BatchContext&);

// batch_index.cpp
void gather(BatchContext&);
void one_hot(BatchContext&);
void gather_nd(BatchContext&);
void scatter_nd(BatchContext&);
void tensor_scatter(BatchContext&);
void segments(BatchContext&);
void in_top_k(BatchContext&);

// batch_nn.cpp
void bias_add(BatchContext&);
void bias_add_grad(BatchContext&);
void l2_loss(BatchContext&);
void conv(BatchContext&);
void conv_input(BatchContext&);
void conv_filter(BatchContext&);
void depthwise(BatchContext&);
void depthwise_input(BatchContext&);
void depthwise_filter(BatchContext&);
void pool(BatchContext&);
void avg_pool_grad(BatchContext&);
void batch_norm(BatchContext&);

}  // namespace tapescope::batch_rules
