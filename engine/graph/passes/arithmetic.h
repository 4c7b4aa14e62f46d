// The form of an arithmetic rule: a node that is about to be copied, and what may stand in its place.
#pragma once
#include <initializer_list>
#include <optional>

#include "engine/graph/rewrite.h"

namespace tapescope {

// What a rule answers that does not apply.
inline constexpr ValueIndex kNo = kNoIndex;

// The node as it would be copied: its inputs are values of the new graph, already rewritten.
class Match {
 public:
  Match(Rebuild& rebuild, const PassContext& context, const GraphNode& node,
        std::span<const ValueIndex> inputs, std::span<const std::uint32_t> uses)
      : rebuild_(rebuild), context_(context), node_(node), inputs_(inputs), uses_(uses) {}

  const OpDef& op() const { return *node_.op; }
  const Attrs& attrs() const { return node_.attrs; }
  std::size_t input_count() const { return inputs_.size(); }
  ValueIndex in(std::size_t i) const { return inputs_[i]; }
  const Type& in_type(std::size_t i) const { return type(inputs_[i]); }
  const Type& out_type() const { return *rebuild_.from().value(node_.first_output).type; }
  const Type& type(ValueIndex value) const { return *rebuild_.to().value(value).type; }

  // The node of that op that makes the value; null when it is made otherwise.
  const GraphNode* made_by(ValueIndex value, std::string_view op) const;
  ValueIndex input(const GraphNode& node, std::size_t i) const { return rebuild_.to().inputs(node)[i]; }
  // The value of every element, if that is one number known now.
  std::optional<double> uniform(ValueIndex value) const;
  bool is_uniform(ValueIndex value, double number) const { return uniform(value) == number; }
  // The elements, if the value is a constant.
  const Tensor* constant(ValueIndex value) const;
  // Whether this node alone uses the value: rewriting through it saves it.
  bool only_user(ValueIndex value) const { return value < uses_.size() && uses_[value] <= 1; }
  bool floating() const { return is_floating(out_type().dtype); }

  // What the rewrite does to results; bit-exact unless said. False when such rewrites are not wanted.
  bool may(RewriteKind kind) {
    if (!context_.allows(kind)) return false;
    kind_ = kind;
    return true;
  }
  RewriteKind kind() const { return kind_; }
  // Two zeros or the order of rounding may differ, of floats only: integers are exact.
  bool may_reassociate() { return !floating() || may(RewriteKind::reassociating); }

  ValueIndex add(std::string_view op, std::initializer_list<ValueIndex> inputs,
                 const Attrs& attrs = kNoAttrs);
  ValueIndex add(std::string_view op, std::span<const ValueIndex> inputs, const Attrs& attrs);
  ValueIndex constant_like(ValueIndex value, double number);  // a scalar of its dtype
  ValueIndex reshaped(ValueIndex value, const Shape& shape);

 private:
  Rebuild& rebuild_;
  const PassContext& context_;
  const GraphNode& node_;
  std::span<const ValueIndex> inputs_;
  std::span<const std::uint32_t> uses_;
  RewriteKind kind_ = RewriteKind::bit_exact;
};

struct ArithmeticRule {
  std::string_view name;
  std::string_view op;  // the op it looks at
  // The value to use instead of the node's, or kNo, with nothing added, when it does not apply.
  ValueIndex (*apply)(Match&);
};

std::span<const ArithmeticRule> algebra_rules();
std::span<const ArithmeticRule> function_rules();
std::span<const ArithmeticRule> shape_rules();

}  // namespace tapescope
