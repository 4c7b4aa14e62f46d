// The node of while_loop(), map_fn() and scan(), and of their gradients: one graph runs again and again.
#pragma once
#include "engine/graph/flow_node.h"

namespace tapescope {

// Inputs: the carried values, lists of which each round takes an element, then what stays the same in all
// rounds. Outputs: the carried values after the last round, then lists with an element from each round. The
// body takes its inputs in that order and gives the carried values for the next round, then the elements.
class LoopNode final : public FlowNode {
 public:
  struct Spec {
    FlowBody body;
    // Takes inputs that are no lists and gives a bool: whether to go on. Without it there are as many rounds
    // as elements.
    std::optional<FlowBody> condition{};
    std::uint32_t inputs = 0;  // of the node
    std::uint32_t carried = 0;
    std::uint32_t lists = 0;  // taken
    bool backwards =
        false;  // from the last elements of the lists to the first, and so the lists that are made
    std::int64_t maximum = -1;  // rounds; none where negative
    // Whether the first list that is made is there for its length alone, the number of rounds: its elements
    // say nothing.
    bool counts = false;
    std::uint32_t saves = 0;
    bool makes_lists = false;  // not for its own gradient alone
    Order order = Order::none;
    std::optional<bool> effects{};  // worked out from the graphs' nodes where absent
  };
  explicit LoopNode(Spec spec);

  bool repeats() const override { return true; }
  void run(KernelContext& context) override;
  void backward(VjpContext& context) override;
  std::shared_ptr<FlowNode> with_bodies(std::vector<FlowBody> bodies) const override;
  void keep_own(std::vector<bool>& inputs, std::vector<bool>& outputs) const override;
  std::shared_ptr<FlowNode> reduced(const std::vector<bool>& inputs,
                                    const std::vector<bool>& outputs) const override;
  const Spec& spec() const { return spec_; }

 private:
  // The gradient for one set of cotangents given and wanted: a loop the other way.
  struct Backward {
    std::shared_ptr<LoopNode> node;  // absent where no cotangent reaches any input
    std::vector<std::uint32_t>
        carried;  // outputs of this node whose cotangents are carried; they end as those of the inputs
    std::vector<const Type*> sums;      // carried too, from zero: cotangents of
    std::vector<std::uint32_t> summed;  // these inputs, which all rounds share
    std::vector<std::uint32_t> saved,
        given;  // outputs of this node: lists it takes; lists whose cotangents it takes
    std::vector<std::uint32_t> fixed;  // inputs of this node that it takes
    std::vector<std::uint32_t> lists;  // inputs of this node that its lists are the cotangents of
  };
  std::shared_ptr<FlowNode> make_forward(Order order) const override;
  Backward make_backward(const std::vector<bool>& given, const std::vector<bool>& wanted) const;

  Spec spec_;  // without the graphs
  GradientsByNeed<Backward> gradients_;
};

}  // namespace tapescope
