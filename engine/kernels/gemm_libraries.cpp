// The libraries behind the matrix product, each held to one thread.
#include <dlfcn.h>

#include <Eigen/Core>

#include "engine/core/error.h"
#include "engine/kernels/gemm.h"
#include "engine/kernels/gemm_own.h"
#include "engine/kernels/map.h"
#if defined(TAPESCOPE_OPENBLAS)
#include <cblas.h>
extern "C" void openblas_set_num_threads(int);
#endif
#if defined(TAPESCOPE_ONEDNN)
#include <oneapi/dnnl/dnnl.h>
#endif

namespace tapescope::kernels {
namespace {

template <class T>
void gemm_eigen(const Gemm& g, const T* a, const T* b, T* c) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using View = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
  const View x(a, g.transpose_a ? g.k : g.m, g.transpose_a ? g.m : g.k, Eigen::OuterStride<>(g.lda));
  const View y(b, g.transpose_b ? g.n : g.k, g.transpose_b ? g.k : g.n, Eigen::OuterStride<>(g.ldb));
  Eigen::Map<Matrix, 0, Eigen::OuterStride<>> z(c, g.m, g.n, Eigen::OuterStride<>(g.ldc));
  if (!g.accumulate) z.setZero();
  if (g.transpose_a && g.transpose_b) z.noalias() += x.transpose() * y.transpose();
  else if (g.transpose_a) z.noalias() += x.transpose() * y;
  else if (g.transpose_b) z.noalias() += x * y.transpose();
  else z.noalias() += x * y;
}

template <class T>
void gemm_own(const Gemm& g, const T* a, const T* b, T* c) {
  if (uses_avx2()) gemm_own_avx2(g, a, b, c);
  else gemm_own_baseline(g, a, b, c);
}

#if defined(TAPESCOPE_OPENBLAS)
void one_blas_thread() {
  static const bool done = (openblas_set_num_threads(1), true);
  (void)done;
}
CBLAS_TRANSPOSE flag(bool transpose) { return transpose ? CblasTrans : CblasNoTrans; }
void gemm_blas(const Gemm& g, const float* a, const float* b, float* c) {
  one_blas_thread();
  cblas_sgemm(CblasRowMajor, flag(g.transpose_a), flag(g.transpose_b), static_cast<blasint>(g.m),
              static_cast<blasint>(g.n), static_cast<blasint>(g.k), 1.f, a, static_cast<blasint>(g.lda), b,
              static_cast<blasint>(g.ldb), g.accumulate ? 1.f : 0.f, c, static_cast<blasint>(g.ldc));
}
void gemm_blas(const Gemm& g, const double* a, const double* b, double* c) {
  one_blas_thread();
  cblas_dgemm(CblasRowMajor, flag(g.transpose_a), flag(g.transpose_b), static_cast<blasint>(g.m),
              static_cast<blasint>(g.n), static_cast<blasint>(g.k), 1., a, static_cast<blasint>(g.lda), b,
              static_cast<blasint>(g.ldb), g.accumulate ? 1. : 0., c, static_cast<blasint>(g.ldc));
}
#endif

#if defined(TAPESCOPE_ONEDNN)
// oneDNN asks OpenMP how many threads the calling thread wants. The answer is 1 while it runs and the
// program's own again afterwards. OpenMP is found at run time, because only oneDNN is linked.
class OneOpenMpThread {
 public:
  OneOpenMpThread() {
    static const auto get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
    if (!get || !set()) return;
    before_ = get();
    if (before_ != 1) set()(1);
  }
  ~OneOpenMpThread() {
    if (before_ > 1) set()(before_);
  }

 private:
  static auto set() -> void (*)(int) {
    static const auto function = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
    return function;
  }
  int before_ = 1;
};
void gemm_dnnl(const Gemm& g, const float* a, const float* b, float* c) {
  const OneOpenMpThread one;
  dnnl_sgemm(g.transpose_a ? 'T' : 'N', g.transpose_b ? 'T' : 'N', g.m, g.n, g.k, 1.f, a, g.lda, b, g.ldb,
             g.accumulate ? 1.f : 0.f, c, g.ldc);
}
#endif

}  // namespace

std::string_view name_of(GemmLibrary library) {
  constexpr std::string_view kNames[] = {"own", "openblas", "onednn", "eigen"};
  return kNames[static_cast<int>(library)];
}

bool has(GemmLibrary library, [[maybe_unused]] DType type) {
  switch (library) {
#if !defined(TAPESCOPE_OPENBLAS)
    case GemmLibrary::openblas: return false;
#endif
#if defined(TAPESCOPE_ONEDNN)
    case GemmLibrary::onednn: return type == DType::f32;
#else
    case GemmLibrary::onednn: return false;
#endif
    default: return true;
  }
}

void gemm_with(GemmLibrary library, const Gemm& g, const float* a, const float* b, float* c) {
  switch (library) {
#if defined(TAPESCOPE_OPENBLAS)
    case GemmLibrary::openblas: return gemm_blas(g, a, b, c);
#endif
#if defined(TAPESCOPE_ONEDNN)
    case GemmLibrary::onednn: return gemm_dnnl(g, a, b, c);
#endif
    case GemmLibrary::eigen: return gemm_eigen(g, a, b, c);
    default: return gemm_own(g, a, b, c);
  }
}

void gemm_with(GemmLibrary library, const Gemm& g, const double* a, const double* b, double* c) {
  switch (library) {
#if defined(TAPESCOPE_OPENBLAS)
    case GemmLibrary::openblas: return gemm_blas(g, a, b, c);
#endif
    case GemmLibrary::eigen: return gemm_eigen(g, a, b, c);
    default: return gemm_own(g, a, b, c);
  }
}

}  // namespace tapescope::kernels
