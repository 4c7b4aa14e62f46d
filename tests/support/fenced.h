// Memory between two pages that cannot be touched: what reads or writes one byte past either end dies.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "engine/gate/op.h"
#include "tests/support/catch.h"

namespace tapescope::test {

// Which end of its elements a tensor has at a page that cannot be touched.
enum class Fence : std::uint8_t { behind, before };

class FencedMemory {
 public:
  explicit FencedMemory(std::size_t bytes) {
    page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    room_ = (bytes + page_) / page_ * page_;
    void* all = mmap(nullptr, room_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(all != MAP_FAILED);
    begin_ = static_cast<std::uint8_t*>(all) + page_;
    REQUIRE(mprotect(begin_, room_, PROT_READ | PROT_WRITE) == 0);
  }
  ~FencedMemory() { munmap(begin_ - page_, room_ + 2 * page_); }
  FencedMemory(const FencedMemory&) = delete;
  FencedMemory& operator=(const FencedMemory&) = delete;

  std::size_t room() const { return room_; }
  // Where `bytes` bytes lie that have nothing behind or before them; all of the room is filled with kUnused.
  std::uint8_t* place(std::size_t bytes, Fence fence) {
    std::memset(begin_, kUnused, room_);
    used_ = bytes;
    fence_ = fence;
    return fence == Fence::behind ? begin_ + room_ - bytes : begin_;
  }
  // Whether the rest of the room is as place() left it.
  bool rest_is_untouched() const {
    const std::uint8_t* rest = fence_ == Fence::behind ? begin_ : begin_ + used_;
    return std::all_of(rest, rest + room_ - used_, [](std::uint8_t byte) { return byte == kUnused; });
  }

 private:
  static constexpr int kUnused = 0xff;  // NaN in floats
  std::size_t page_ = 0, room_ = 0, used_ = 0;
  std::uint8_t* begin_ = nullptr;
  Fence fence_ = Fence::behind;
};

// Runs kernels on operands and results that lie in fenced memory.
class FencedCalls {
 public:
  // Copies of the results; those that the kernel makes itself lie in the pool.
  std::vector<Tensor> run(const OpDef& op, const std::vector<Tensor>& inputs, const Attrs& attrs,
                          Fence fence) {
    next_ = 0;
    std::vector<Tensor> operands, results;
    std::vector<TensorImpl*> raw;
    for (const Tensor& input : inputs) {
      operands.push_back(fenced(input.type(), fence, input.raw()));
      raw.push_back(operands.back().impl());
    }
    const Location here = Location::current();
    InferContext infer{op, raw, attrs, here};
    op.infer(infer);
    const bool makes = op.flags & OpDef::kMakesOutputs;
    for (int i = 0; i < infer.outputs; ++i)
      results.push_back(makes ? Tensor() : fenced(*infer.types()[i], fence, nullptr));
    KernelContext context{raw, results, attrs};
    op.kernel(context);
    for (std::size_t i = 0; i < next_; ++i) CHECK(memories_[i]->rest_is_untouched());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      INFO("operand " << i << " was written to");
      CHECK(std::memcmp(operands[i].raw(), inputs[i].raw(), static_cast<std::size_t>(inputs[i].bytes())) ==
            0);
    }
    for (Tensor& result : results) {
      if (!makes) result = make_from_bytes(result.dtype(), result.shape(), result.raw());
    }
    return results;
  }

 private:
  Tensor fenced(const Type& type, Fence fence, const void* from) {
    const auto bytes = static_cast<std::size_t>(type.bytes);
    if (next_ == memories_.size()) memories_.push_back(std::make_unique<FencedMemory>(bytes));
    if (memories_[next_]->room() < bytes) memories_[next_] = std::make_unique<FencedMemory>(bytes);
    std::uint8_t* place = memories_[next_++]->place(bytes, fence);
    if (from) std::memcpy(place, from, bytes);
    return Tensor(new_view(base_.impl(), &type, place));
  }

  Tensor base_ = make_full(Shape{}, 0, DType::f32);
  std::vector<std::unique_ptr<FencedMemory>> memories_;
  std::size_t next_ = 0;
};

}  // namespace tapescope::test
