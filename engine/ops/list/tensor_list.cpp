// The handle of a list and the ops that make, stack and add lists.
#include "engine/ops/tensor_list.h"

#include <cstring>

#include <fmt/format.h>

#include "engine/gate/arguments.h"
#include "engine/gate/families.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/list_batches.h"
#include "engine/ops/variable_read.h"

namespace tapescope {
namespace {

struct ListExtension final : HandleExtension {
  explicit ListExtension(std::vector<Tensor> e) : HandleExtension(list_type()), elements(std::move(e)) {}
  std::vector<Tensor> elements;
};

// Attrs of a stack: how many elements, their dtype, their dimensions.
const Type* element_type(const Attrs& attrs) {
  Shape shape;
  for (int d = 2; d < attrs.count; ++d) shape.push_back(attrs.i[static_cast<std::size_t>(d)]);
  return intern_type(static_cast<DType>(attrs.i[1]), shape);
}

void infer_from(InferContext& c) {
  if (c.in(0).shape.rank() == 0)
    c.fail("a scalar has no rows to make a list of; give a tensor of at least one dimension");
  c.out(list_type());
}

void from_kernel(KernelContext& c) {
  const Type& type = c.in_type(0);
  // The input's place may be used for something else while the list lives on.
  const Tensor copy = make_from_bytes(type.dtype, type.shape, c.in<void>(0));
  const Type* row = intern_type(type.dtype, Shape(type.shape.dims().subspan(1)));
  std::vector<Tensor> rows;
  for (std::int64_t i = 0; i < type.shape[0]; ++i) {
    rows.emplace_back(new_view(copy.impl(), row, static_cast<char*>(copy.impl()->data) + i * row->bytes));
  }
  c.outputs[0] = make_list(std::move(rows));
}

void from_vjp(VjpContext& c) {
  const Type& type = c.in_type(0);
  c.set(0,
        list_stack(c.grad(), *intern_type(type.dtype, Shape(type.shape.dims().subspan(1))), type.shape[0]));
}

void infer_stack(InferContext& c) {
  if (!is_list(c.in(0))) c.fail(fmt::format("expected a list of tensors, got {}", c.in(0).text()));
  const Type* element = element_type(c.attrs);
  Shape shape{c.attrs.i[0]};
  for (const std::int64_t size : element->shape.dims()) shape.push_back(size);
  c.out(element->dtype, shape);
}

void stack_kernel(KernelContext& c) {
  const std::span<const Tensor> elements = list_elements(c.inputs[0]);
  char* to = static_cast<char*>(c.outputs[0].impl()->data);
  if (elements.empty()) {
    std::memset(to, 0, static_cast<std::size_t>(c.out_type().bytes));
    return;
  }
  if (static_cast<std::int64_t>(elements.size()) != c.attrs.i[0]) {
    fail(ErrorKind::invalid_argument, "TensorListStack",
         fmt::format("the list has {} elements, expected {}", elements.size(), c.attrs.i[0]));
  }
  for (const Tensor& element : elements) {
    std::memcpy(to, element.raw(), static_cast<std::size_t>(element.bytes()));
    to += element.bytes();
  }
}

void infer_add(InferContext& c) {
  for (const TensorImpl* input : c.inputs) {
    if (!is_list(*input->type)) c.fail(fmt::format("expected lists of tensors, got {}", input->type->text()));
  }
  c.out(list_type());
}

Tensor sum_of(std::span<const Tensor> terms) {
  if (!is_list(terms[0].type())) {
    if (terms.size() == 1) return terms[0];
    // No tape is notified inside a kernel.
    std::vector<TensorImpl*> inputs;
    for (const Tensor& term : terms) inputs.push_back(term.impl());
    Tensor sum(new_tensor(&terms[0].type()));
    KernelContext context{inputs, {&sum, 1}, kNoAttrs};
    find_op("AddN")->kernel(context);
    return sum;
  }
  std::vector<std::span<const Tensor>> lists;
  for (const Tensor& term : terms) {
    if (!list_elements(term.impl()).empty()) lists.push_back(list_elements(term.impl()));
  }
  std::vector<Tensor> sums;
  for (std::size_t i = 0; !lists.empty() && i < lists[0].size(); ++i) {
    std::vector<Tensor> column;
    for (const auto& list : lists) column.push_back(list[i]);
    sums.push_back(sum_of(column));
  }
  return make_list(std::move(sums));
}

void add_kernel(KernelContext& c) {
  std::vector<Tensor> terms;
  for (TensorImpl* input : c.inputs) terms.push_back(Tensor::share(input));
  c.outputs[0] = sum_of(terms);
}

Tensor ones_of(const Tensor& like) {
  if (!is_list(like.type())) return make_full(like.shape(), 1, like.dtype());
  std::vector<Tensor> ones;
  for (const Tensor& element : list_elements(like.impl())) ones.push_back(ones_of(element));
  return make_list(std::move(ones));
}

void infer_ones(InferContext& c) {
  if (!is_list(c.in(0))) c.fail(fmt::format("expected a list of tensors, got {}", c.in(0).text()));
  c.out(list_type());
}

// Several rows' lists in one handle, and back.
const Type* packed_type(std::int64_t rows) {
  Shape shape{rows};
  for (const std::int64_t size : list_type()->shape.dims()) shape.push_back(size);
  return intern_type(DType::resource, shape);
}

void infer_pack(InferContext& c) {
  for (const TensorImpl* input : c.inputs) {
    if (!is_list(*input->type)) c.fail(fmt::format("expected lists of tensors, got {}", input->type->text()));
  }
  c.out(packed_type(c.input_count()));
}

void pack_kernel(KernelContext& c) {
  std::vector<Tensor> lists;
  for (TensorImpl* input : c.inputs) lists.push_back(Tensor::share(input));
  c.outputs[0] = Tensor(new_tensor(packed_type(static_cast<std::int64_t>(lists.size()))));
  c.outputs[0].impl()->extension = new ListExtension(std::move(lists));
}

void infer_unpack(InferContext& c) {
  const Shape& shape = c.in(0).shape;
  if (shape.rank() == 0 || &c.in(0) != packed_type(shape[0]))
    c.fail(fmt::format("expected packed lists, got {}", c.in(0).text()));
  c.set_outputs(static_cast<int>(shape[0]));
  for (int i = 0; i < c.outputs; ++i) c.out(i, list_type());
}

void unpack_kernel(KernelContext& c) {
  const std::span<const Tensor> lists = list_elements(c.inputs[0]);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const auto elements = list_elements(lists[i].impl());
    c.outputs[i] = make_list({elements.begin(), elements.end()});
  }
}

void pack_vjp(VjpContext& c) {
  const std::vector<Tensor> lists = unpack_lists(c.grad());
  for (int i = 0; i < c.input_count(); ++i) c.set(i, lists[static_cast<std::size_t>(i)]);
}

void unpack_vjp(VjpContext& c) {
  std::vector<Tensor> lists;
  for (int i = 0; i < c.output_count(); ++i) lists.push_back(c.grad(i) ? c.grad(i) : make_list({}));
  c.set(0, pack_lists(lists));
}

constinit const OpDef kPackLists{.name = "TensorListPack",
                                 .infer = infer_pack,
                                 .kernel = pack_kernel,
                                 .vjp = pack_vjp,
                                 .linearity = Linearity::linear,
                                 .flags = OpDef::kMakesOutputs,
                                 .doc = "The lists of several rows in one handle"};
constinit const OpDef kUnpackLists{.name = "TensorListUnpack",
                                   .infer = infer_unpack,
                                   .kernel = unpack_kernel,
                                   .vjp = unpack_vjp,
                                   .linearity = Linearity::linear,
                                   .flags = OpDef::kMakesOutputs | OpDef::kAbsentGradients,
                                   .doc = "The list of each row"};
constinit const OpDef kFrom{.name = "TensorListFromTensor",
                            .infer = infer_from,
                            .kernel = from_kernel,
                            .vjp = from_vjp,
                            .linearity = Linearity::linear,
                            .flags = OpDef::kMakesOutputs,
                            .doc = "The rows of x as a list"};
constinit const OpDef kStack{.name = "TensorListStack",
                             .infer = infer_stack,
                             .kernel = stack_kernel,
                             .vjp = [](VjpContext& c) { c.set(0, list_from_tensor(c.grad())); },
                             .linearity = Linearity::linear,
                             .doc = "i[0] elements of a list, one after the other along a new first axis"};
constinit const OpDef kAdd{.name = "TensorListAddN",
                           .infer = infer_add,
                           .kernel = add_kernel,
                           .vjp =
                               [](VjpContext& c) {
                                 for (int i = 0; i < c.input_count(); ++i) c.set(i, c.grad());
                               },
                           .linearity = Linearity::linear,
                           .flags = OpDef::kMakesOutputs,
                           .doc = "The sum of lists, element by element"};

constinit const OpDef kOnes{
    .name = "TensorListOnesLike",
    .infer = infer_ones,
    .kernel = [](KernelContext& c) { c.outputs[0] = ones_of(Tensor::share(c.inputs[0])); },
    .flags = OpDef::kMakesOutputs,
    .no_gradient = NoGradient::not_differentiable,
    .doc = "A list of as many elements of the same types, all ones"};

constexpr const OpDef* kTensorListRows[] = {&kFrom, &kStack, &kAdd, &kOnes, &kPackLists, &kUnpackLists};

}  // namespace

std::span<const OpDef* const> list_ops() { return kTensorListRows; }

const Type* list_type() {
  // Of no elements, so that it takes no memory.
  static const Type* const type = intern_type(DType::resource, {0, 0x7fffffff});
  return type;
}

Tensor zero_of(const Type& type) {
  return is_list(type) ? make_list({}) : make_full(type.shape, 0, type.dtype);
}

Tensor make_list(std::vector<Tensor> elements) {
  Tensor list(new_tensor(list_type()));
  list.impl()->extension = new ListExtension(std::move(elements));
  return list;
}

std::span<const Tensor> list_elements(const TensorImpl* list) {
  return static_cast<const ListExtension*>(list->extension)->elements;
}

Tensor list_from_tensor(const Arg& x) { return apply(kFrom, x); }

Tensor ones_like_list(const Arg& list) { return apply(kOnes, list); }

Tensor list_stack(const Arg& list, const Type& element, std::int64_t count) {
  Attrs attrs;
  attrs.push(count);
  attrs.push(static_cast<std::int64_t>(element.dtype));
  for (const std::int64_t size : element.shape.dims()) attrs.push(size);
  return apply(kStack, list, attrs);
}

Tensor pack_lists(std::span<const Tensor> lists) {
  return apply(kPackLists, InputList("TensorListPack", lists, Location::current()).inputs(), kNoAttrs,
               Location::current());
}

std::vector<Tensor> unpack_lists(const Tensor& packed) {
  TensorImpl* inputs[] = {packed.impl()};
  TensorList lists;
  apply(kUnpackLists, inputs, kNoAttrs, Location::current(), lists);
  return {lists.span().begin(), lists.span().end()};
}

Tensor add_lists(std::span<const Tensor> lists) {
  return apply(kAdd, InputList("TensorListAddN", lists, Location::current()).inputs(), kNoAttrs,
               Location::current());
}

}  // namespace tapescope
