// x[..] and x(..): strided slices, with gathers for indices that are tensors.
#include <fmt/format.h>

#include "engine/gate/arguments.h"
#include "engine/gate/symbol.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/index.h"
#include "engine/ops/shape.h"
#include "engine/ops/slicing.h"

namespace tapescope {
namespace {

// The index counted from the front; ops only where it may be negative.
Tensor counted_from_front(const Tensor& index, std::int64_t size, const Location& at) {
  if (is_symbol(index) || index.impl()->extension) {
    const BoolTensor negative({less({index, at}, {0, at}), at});
    return where({negative, at}, {add({index, at}, {size, at}), at}, {index, at});
  }
  return element_value(index, 0) < 0 ? add({index, at}, {size, at}) : index;
}

class Indexing {
 public:
  Indexing(const Arg& x, std::initializer_list<const Index*> indices)
      : x_(x.tensor()), at_((*indices.begin())->location()) {
    for (const Index* index : indices) add_entry(*index);
  }

  Tensor result() {
    Tensor y = slices_ ? strided_slice({x_, at_}, spec_) : x_;
    // From the last on, so that the dimensions before stay where they are.
    for (auto pick = picks_.rbegin(); pick != picks_.rend(); ++pick) {
      const int axis = pick->axis < 0 ? pick->axis + y.rank() : pick->axis;
      if (axis < 0 || axis >= y.rank())
        refuse("StridedSlice", fmt::format("got too many indices for {}", x_.type().text()), at_);
      const Tensor position = counted_from_front(pick->position, y.dim(axis), at_);
      y = gather({y, at_}, {position, at_}, axis);
    }
    return y;
  }

 private:
  struct Pick {
    int axis;  // of the result while it still has all dimensions that are picked from; negative from the end
    Tensor position;
  };

  void add_entry(const Index& index) {
    const int entry = spec_.begin.size();
    if (entry == kMaxRank + 1) refuse("StridedSlice", "got too many indices", at_);
    const std::uint32_t bit = 1u << entry;
    std::int64_t begin = 0, end = 0, step = 1;
    switch (index.kind()) {
      case Index::Kind::position:
        begin = index.position();
        spec_.shrink_mask |= bit;
        slices_ = true;
        --axis_;
        break;
      case Index::Kind::range:
        begin = index.range().begin.value_or(0);
        end = index.range().end.value_or(0);
        step = index.range().step;
        if (!index.range().begin) spec_.begin_mask |= bit;
        if (!index.range().end) spec_.end_mask |= bit;
        slices_ = true;
        break;
      case Index::Kind::word: add_word(index.word(), bit); break;
      case Index::Kind::tensor:
        check_scalar(index);
        spec_.begin_mask |= bit;
        spec_.end_mask |= bit;
        picks_.push_back({axis_, index.tensor()});
        break;
    }
    ++axis_;
    spec_.begin.push_back(begin);
    spec_.end.push_back(end);
    spec_.strides.push_back(step);
  }

  void add_word(tapescope_inside::IndexWord::Kind word, std::uint32_t bit) {
    slices_ = true;
    switch (word) {
      case tapescope_inside::IndexWord::Kind::all:
        spec_.begin_mask |= bit;
        spec_.end_mask |= bit;
        return;
      case tapescope_inside::IndexWord::Kind::newaxis: spec_.new_mask |= bit; return;
      case tapescope_inside::IndexWord::Kind::ellipsis:
        if (spec_.ellipsis_mask)
          fail(ErrorKind::value, "StridedSlice", "got two ellipses, expected one", &at_);
        spec_.ellipsis_mask = bit;
        if (!picks_.empty()) refuse_ellipsis();
        ellipsis_ = true;
        return;
    }
  }

  void check_scalar(const Index& index) {
    const Tensor& tensor = index.tensor();
    if (!tensor) fail(ErrorKind::value, "StridedSlice", "an index is None", &at_);
    if (!is_integer(tensor.dtype()) || tensor.rank() != 0) {
      fail(ErrorKind::type, "StridedSlice",
           fmt::format(
               "an index is a whole number, a range of them, all, newaxis, ellipsis or a scalar int32 or "
               "int64 tensor, got {}; gather(x, indices, axis) takes several",
               tensor.type().text()),
           &at_);
    }
    if (ellipsis_) refuse_ellipsis();
  }

  [[noreturn]] void refuse_ellipsis() {
    fail(ErrorKind::value, "StridedSlice",
         "an ellipsis beside an index that is a tensor is not supported; write all for each dimension", &at_);
  }

  const Tensor& x_;
  const Location& at_;
  StridedSlice spec_;
  std::vector<Pick> picks_;
  int axis_ = 0;
  bool slices_ = false, ellipsis_ = false;
};

}  // namespace

Tensor index(const Arg& x, std::initializer_list<const Index*> indices) {
  const Index& first = **indices.begin();
  if (indices.size() == 1 && first.kind() == Index::Kind::tensor && first.tensor() &&
      first.tensor().dtype() == DType::boolean) {
    return boolean_mask({x.tensor(), first.location()}, {first.tensor(), first.location()});
  }
  return Indexing(x, indices).result();
}

Tensor Tensor::operator[](const Index& i) const { return index({*this, i.location()}, {&i}); }
Tensor Tensor::operator()(const Index& a) const { return index({*this, a.location()}, {&a}); }
Tensor Tensor::operator()(const Index& a, const Index& b) const {
  return index({*this, a.location()}, {&a, &b});
}
Tensor Tensor::operator()(const Index& a, const Index& b, const Index& c) const {
  return index({*this, a.location()}, {&a, &b, &c});
}
Tensor Tensor::operator()(const Index& a, const Index& b, const Index& c, const Index& d) const {
  return index({*this, a.location()}, {&a, &b, &c, &d});
}

}  // namespace tapescope
