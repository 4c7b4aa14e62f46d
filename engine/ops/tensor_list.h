// Lists of tensors as tensors: what a loop keeps of each round until its gradient wants it (TensorFlow's
// TensorList).
//
// A list is a handle: it owns no memory for elements and has any length. Its cotangent is a list too,
// one cotangent for each element. A list without elements is the zero of every length.
#pragma once
#include <span>
#include <vector>

#include "engine/gate/apply.h"

namespace tapescope {

// The type of every list: a resource of a shape that no variable has.
const Type* list_type();
inline bool is_list(const Type& type) { return type.dtype == DType::resource && &type == list_type(); }

Tensor make_list(std::vector<Tensor> elements);
// The zero of a type: of lists, the one without elements.
Tensor zero_of(const Type& type);
// The elements of a list that is at hand, not of a symbol.
std::span<const Tensor> list_elements(const TensorImpl* list);

// The rows of x, which has at least one dimension.
Tensor list_from_tensor(const Arg& x);
// [count, ...]: `count` elements of the type, one after the other; zeros for a list without elements.
Tensor list_stack(const Arg& list, const Type& element, std::int64_t count);
// A list of the same length with ones of the same types.
Tensor ones_like_list(const Arg& list);
// The sum element by element.
Tensor add_lists(std::span<const Tensor> lists);

}  // namespace tapescope
