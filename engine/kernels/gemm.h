// Matrix products: one function before OpenBLAS, oneDNN, Eigen and loops of our own.
//
// Matrices are row-major. Which library computes a product follows from its shape by a fixed table measured
// on two machines; every library is held to one thread. A large product is divided among the threads of the
// pool in pieces that its shape decides, so that a result never depends on the number of threads.
#pragma once
#include <cstdint>
#include <string_view>

#include "engine/core/dtype.h"

namespace tapescope::kernels {

// C[m, n] = A[m, k] B[k, n], C += when `accumulate`. `transpose_a` says that A lies in memory as [k, m]. The
// leading dimensions lda, ldb, ldc count elements between rows as they lie in memory.
struct Gemm {
  bool transpose_a = false, transpose_b = false;
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
  bool accumulate = false;

  // Contiguous matrices.
  static Gemm of(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k,
                 bool accumulate = false) {
    return {transpose_a, transpose_b, m, n, k, transpose_a ? m : k, transpose_b ? k : n, n, accumulate};
  }
};

void gemm(const Gemm& g, const float* a, const float* b, float* c);
void gemm(const Gemm& g, const double* a, const double* b, double* c);
// Any dtype. Half types are widened, multiplied and accumulated in float32, and rounded once.
void gemm(DType type, const Gemm& g, const void* a, const void* b, void* c);
// `count` products of contiguous matrices; the i-th one's operands begin a_index[i] and b_index[i]
// matrices on, the i-th where the index is null.
void gemm_batch(DType type, const Gemm& g, std::int64_t count, const void* a, const std::int64_t* a_index,
                const void* b, const std::int64_t* b_index, void* c);

// ---- for measurements and tests

enum class GemmLibrary : std::uint8_t { own, openblas, onednn, eigen };
std::string_view name_of(GemmLibrary library);
// Whether this build has it (own and eigen always; onednn has no double).
bool has(GemmLibrary library, DType type);
void gemm_with(GemmLibrary library, const Gemm& g, const float* a, const float* b, float* c);
void gemm_with(GemmLibrary library, const Gemm& g, const double* a, const double* b, double* c);
// What the table says.
GemmLibrary gemm_library(const Gemm& g, DType type);

}  // namespace tapescope::kernels
