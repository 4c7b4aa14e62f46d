// The node of cond() and switch_case(): one of several graphs runs.
#pragma once
#include "engine/graph/flow_node.h"

namespace tapescope {

// Inputs: a scalar that chooses (of two branches true takes the first; an index out of range takes the last
// branch), then whatever the branches take. Outputs: the results, which all branches give; then lists, each
// of which one branch fills with one element and the others leave empty: what a branch saves, or the
// cotangent of an element that it took.
class CondNode final : public FlowNode {
 public:
  struct Spec {
    std::vector<FlowBody> branches;
    std::size_t inputs;   // of the node, the first one included
    std::size_t results;  // of each branch, that are not elements of lists
    // Of each list among the outputs, the branch that fills it; its elements are that branch's further
    // results in order.
    std::vector<std::uint32_t> fills;
    std::uint32_t saves = 0;
    Order order = Order::none;
    std::optional<bool> effects{};  // worked out from the branches' nodes where absent
    // Of a gradient: for each branch the inputs of the differentiated node that it gives more than zeros, as
    // bits of NodeBranchRecord.
    std::vector<std::uint64_t> leads{};
  };
  explicit CondNode(Spec spec);

  bool repeats() const override { return false; }
  void run(KernelContext& context) override;
  void backward(VjpContext& context) override;
  std::shared_ptr<FlowNode> with_bodies(std::vector<FlowBody> bodies) const override;
  void keep_own(std::vector<bool>& inputs, std::vector<bool>& outputs) const override;
  std::shared_ptr<FlowNode> reduced(const std::vector<bool>& inputs,
                                    const std::vector<bool>& outputs) const override;

 private:
  // The gradient for one set of cotangents given and wanted.
  struct Backward {
    std::shared_ptr<CondNode> node;  // absent where no cotangent reaches any input
    std::vector<std::uint32_t>
        takes;  // after the chooser: inputs of this node, then its outputs, then cotangents of outputs
    std::size_t inputs, outputs;       // how many of the first two kinds
    std::vector<std::uint32_t> gives;  // for each of its outputs the input of this node
  };
  std::shared_ptr<FlowNode> make_forward(Order order) const override;
  Backward make_backward(const std::vector<bool>& given, const std::vector<bool>& wanted) const;

  Spec spec_;  // without the branches
  GradientsByNeed<Backward> gradients_;
};

}  // namespace tapescope
