// The debugger's frames as bytes: what a recording keeps of a step's values, and what an attachment sends of
// the place where a program stands. A tensor that several frames of a pack show is written once; format.md
// describes the bytes.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/debug/gate.h"
#include "engine/events/stats.h"
#include "engine/recording/bytes.h"

namespace tapescope::record {

struct FrameLimits {
  std::uint64_t whole_bytes = 4u << 20;  // a tensor of more bytes is kept as a digest
  std::uint32_t sample = 256;            // elements of a digest
  // Where there are any, only tensors are kept whole that a frame names so that one of these is a part of the
  // name.
  std::vector<std::string> only;
};

// What is kept of a tensor that was too large, or had no elements to keep (a batch, a symbol).
struct TensorDigest {
  TensorStats stats;  // its id and type too, a null type for one that this version does not know; a count of
                      // 0: nothing more
  // Element i is that of the tensor at i * numel / sample.size(), rounded down.
  std::vector<double> sample;
};

// Stands for a value that is absent from a frame's list.
struct PlacedDigest {
  enum class List : std::uint8_t { inputs, outputs, cotangents_in, cotangents_out, accumulated };
  List list = List::inputs;
  std::uint32_t index = 0;
  std::shared_ptr<const TensorDigest> digest;
};

struct KeptFrame {
  Frame frame;
  std::uint64_t hash = 0;  // Frame::hash() where it was taken, of all elements
  std::vector<PlacedDigest> digests;
};

// Of that item of a frame; null where its value is there, or None.
const TensorDigest* digest_of(std::span<const PlacedDigest> digests, PlacedDigest::List list,
                              std::size_t index);

// A pack holds no more: what bounds the memory of a reader, and fits a chunk.
inline constexpr std::size_t kMaxPackFrames = 1u << 16;
inline constexpr std::size_t kMaxPackTexts = 1u << 18;
inline constexpr std::size_t kMaxPackTensors = 1u << 18;
inline constexpr std::size_t kMaxPackItems = 1u << 20;  // tensors in the lists of its frames, with repetition
inline constexpr std::size_t kMaxPackBytes = 15u << 20;
// Of the names of all items: a reader has one for each, though the text stands once in the pack.
inline constexpr std::size_t kMaxPackNames = 64u << 20;

// Makes a pack. Shares the tensors of its frames until clear(), so that nothing writes into them meanwhile.
class FramePacker {
 public:
  explicit FramePacker(FrameLimits limits = {}) : limits_(std::move(limits)) {}
  // False, and nothing taken, where the pack has no room for it: write it and clear() first. An empty pack
  // takes the last tensors of a large frame as digests; it refuses only what no pack can hold.
  bool add(const Frame& frame);
  std::size_t frames() const { return frame_count_; }
  std::size_t bytes() const;  // that write() appends, at most
  void write(ByteWriter& out) const;
  void clear();

 private:
  std::size_t most_bytes(const Frame& frame) const;
  bool keeps_rows(const Tensor& value) const;
  bool keeps_whole(const Tensor& value) const;
  void note_wanted(const Frame& frame);
  std::uint64_t text_number(std::string_view text);
  std::uint64_t tensor_number(const Tensor& value);
  void write_elements(const Tensor& value);
  void write_digest(const Tensor& value);
  void write_list(const std::vector<FrameTensor>& list);

  FrameLimits limits_;
  std::unordered_map<std::string, std::uint64_t> text_numbers_;
  std::unordered_map<const TensorImpl*, std::uint64_t> tensor_numbers_;
  std::vector<Tensor> held_;
  std::unordered_set<const TensorImpl*> wanted_;  // of limits_.only
  ByteWriter texts_, tensors_, frames_, sources_;
  std::size_t frame_count_ = 0, items_ = 0, names_ = 0;
};

// Reads what FramePacker wrote, to the end of `in`; false where it is damaged. Takes memory in proportion to
// the bytes. Names and places become this process's; tensor ids stay the writer's, so that they are those of
// its records.
bool read_frames(ByteReader& in, std::vector<KeptFrame>& frames);

}  // namespace tapescope::record
