// Packs of frames: texts and tensors once each, then the frames that refer to them by number.
#include "engine/recording/frame_codec.h"

#include <algorithm>
#include <array>

#include "engine/core/error.h"
#include "engine/core/slices.h"
#include "engine/recording/type_codec.h"

namespace tapescope::record {
namespace {

enum class Form : std::uint8_t { whole = 0, rows = 1, digest = 2 };

// The lists of a frame, in the order they are written and PlacedDigest::List numbers them.
constexpr std::array kLists = {&Frame::inputs, &Frame::outputs, &Frame::cotangents_in, &Frame::cotangents_out,
                               &Frame::accumulated};

constexpr std::size_t kMostNumber = 10;                                        // bytes of a number
constexpr std::size_t kMostTensorHead = 2 + 8 + (2 + kMaxRank) * kMostNumber;  // form, element type, sizes
constexpr std::size_t kMostFrameHead = 8 + 1 + 2 * 8 + (16 + Attrs::kMaxInts) * kMostNumber;
constexpr std::size_t kMostDigest = 4 * 8 + 5 * kMostNumber;  // and its sample
// Rows of a larger tensor than that are kept as a digest: a reader goes through the elements they stand for.
constexpr std::int64_t kMostDense = std::int64_t{1} << 31;

// Bits of a frame's byte. Readers of version 1.1 take any but 0 for backward: a forward frame has none.
constexpr std::uint8_t kBackward = 1, kSources = 2;

constexpr std::uint64_t kMostScopes = 1024;  // within each other; a reader keeps each for good

std::uint64_t folded(std::int32_t value) {
  const auto wide = static_cast<std::int64_t>(value);
  return wide < 0 ? static_cast<std::uint64_t>(-wide) * 2 - 1 : static_cast<std::uint64_t>(wide) * 2;
}

std::int32_t unfolded(std::uint64_t value) {
  const auto half = static_cast<std::int64_t>(value / 2);
  return static_cast<std::int32_t>(value % 2 ? -half - 1 : half);
}

// Outermost first.
std::vector<std::string_view> scope_names(ScopeId scope) {
  std::vector<std::string_view> names;
  for (; scope != 0; scope = scope_parent(scope)) names.push_back(name_text(scope_name(scope)));
  std::reverse(names.begin(), names.end());
  if (names.size() > kMostScopes) names.resize(kMostScopes);
  return names;
}

}  // namespace

// ---- writing ----

bool FramePacker::keeps_whole(const Tensor& value) const {
  const bool wanted =
      limits_.only.empty() || value.dtype() == DType::resource || wanted_.contains(value.impl());
  return wanted && static_cast<std::uint64_t>(value.bytes()) <= limits_.whole_bytes;
}

// Whether rows are kept as such; else their statistics are.
bool FramePacker::keeps_rows(const Tensor& value) const {
  const SlicesExtension* rows = slices_of(value.impl());
  return rows && value.numel() <= kMostDense && keeps_whole(rows->values) && keeps_whole(rows->indices);
}

// A tensor that an earlier frame of the pack showed without a name stays what it was kept as.
void FramePacker::note_wanted(const Frame& frame) {
  const auto named = [&](std::string_view name) {
    return std::any_of(limits_.only.begin(), limits_.only.end(),
                       [&](const std::string& part) { return name.find(part) != std::string_view::npos; });
  };
  for (const auto list : kLists) {
    for (const FrameTensor& item : frame.*list) {
      if (!item.value || !(named(item.name) || named(item.value.name()))) continue;
      wanted_.insert(item.value.impl());
      if (const SlicesExtension* rows = slices_of(item.value.impl()))
        wanted_.insert({rows->values.impl(), rows->indices.impl()});
    }
  }
}

std::size_t FramePacker::bytes() const {
  return 3 * kMostNumber + texts_.size() + tensors_.size() + frames_.size() + sources_.size();
}

std::size_t FramePacker::most_bytes(const Frame& frame) const {
  const CallSite site = site_with_id(frame.site);
  std::size_t most = kMostFrameHead + op_name_text(frame.op).size() + site.file.size() +
                     site.function.size() + name_text(frame.attrs.text).size() + 4 * kMostNumber;
  for (const std::string_view name : scope_names(site.scope)) most += name.size() + 2 * kMostNumber;
  most += 2 * kMostNumber * frame.accumulated.size();
  const auto add_tensor = [&](const Tensor& value) {
    if (tensor_numbers_.contains(value.impl())) return;
    const auto size = static_cast<std::size_t>(value.bytes());
    most += kMostTensorHead + (keeps_whole(value) ? size : kMostDigest + limits_.sample * sizeof(double));
  };
  for (const auto list : kLists) {
    for (const FrameTensor& item : frame.*list) {
      most += item.name.size() + 3 * kMostNumber;
      if (!item.value) continue;
      if (keeps_rows(item.value)) {
        add_tensor(slices_of(item.value.impl())->values);
        add_tensor(slices_of(item.value.impl())->indices);
      }
      add_tensor(item.value);
    }
  }
  return most;
}

bool FramePacker::add(const Frame& frame) {
  std::size_t items = 0, names = 0;
  for (const auto list : kLists) {
    items += (frame.*list).size();
    for (const FrameTensor& item : frame.*list) names += item.name.size();
  }
  // Rows are three tensors; besides those of its items a frame has the texts of its op, place and scopes.
  if (frame_count_ >= kMaxPackFrames || items_ + items > kMaxPackItems || names_ + names > kMaxPackNames ||
      tensor_numbers_.size() + 3 * items > kMaxPackTensors ||
      text_numbers_.size() + items + kMostScopes + 4 > kMaxPackTexts) {
    return false;
  }
  if (!limits_.only.empty()) note_wanted(frame);
  if (frame_count_ > 0 && bytes() + most_bytes(frame) > kMaxPackBytes) return false;
  ++frame_count_;
  items_ += items;
  names_ += names;
  const CallSite site = site_with_id(frame.site);
  frames_.u64(frame.hash());
  frames_.number(frame.cursor);
  frames_.number(frame.inner);
  const bool tells_sources = frame.backward && !frame.accumulated.empty();
  frames_.u8(static_cast<std::uint8_t>((frame.backward ? kBackward : 0) | (tells_sources ? kSources : 0)));
  frames_.number(text_number(op_name_text(frame.op)));
  frames_.number(frame.output);
  frames_.number(text_number(site.file));
  frames_.number(text_number(site.function));
  frames_.number(site.line);
  const std::vector<std::string_view> scopes = scope_names(site.scope);
  frames_.number(scopes.size());
  for (const std::string_view name : scopes) frames_.number(text_number(name));
  const Attrs& attrs = frame.attrs;
  for (const double value : attrs.f) frames_.f64(value);
  frames_.number(text_number(name_text(attrs.text)));
  frames_.number(attrs.flags);
  frames_.number(attrs.object);
  frames_.number(attrs.ints().size());
  for (const std::int32_t value : attrs.ints()) frames_.number(folded(value));
  for (const auto list : kLists) write_list(frame.*list);
  for (const FrameTensor& item : frame.accumulated) {
    if (!tells_sources) break;
    sources_.number(item.source);
    sources_.number(item.source_index);
  }
  return true;
}

void FramePacker::write_list(const std::vector<FrameTensor>& list) {
  frames_.number(list.size());
  for (const FrameTensor& item : list) {
    frames_.number(text_number(item.name));
    frames_.number(item.value ? tensor_number(item.value) + 1 : 0);
  }
}

std::uint64_t FramePacker::text_number(std::string_view text) {
  const auto [place, is_new] = text_numbers_.try_emplace(std::string(text), text_numbers_.size());
  if (is_new) texts_.text(text);
  return place->second;
}

std::uint64_t FramePacker::tensor_number(const Tensor& value) {
  if (const auto known = tensor_numbers_.find(value.impl()); known != tensor_numbers_.end())
    return known->second;
  if (keeps_rows(value)) {
    const SlicesExtension* rows = slices_of(value.impl());
    // What rows are made of stands before them.
    tensor_number(rows->values);
    tensor_number(rows->indices);
  }
  write_elements(value);
  held_.push_back(value);
  const std::uint64_t number = tensor_numbers_.size();
  tensor_numbers_.emplace(value.impl(), number);
  return number;
}

void FramePacker::write_elements(const Tensor& value) {
  if (keeps_rows(value)) {
    const SlicesExtension& rows = *slices_of(value.impl());
    tensors_.u8(static_cast<std::uint8_t>(Form::rows));
    tensors_.number(value.id());
    write_type(tensors_, value.type());
    tensors_.number(tensor_numbers_.at(rows.values.impl()));
    tensors_.number(tensor_numbers_.at(rows.indices.impl()));
    return;
  }
  const auto size = static_cast<std::size_t>(value.bytes());
  const bool fits = keeps_whole(value) && bytes() + size + kMostTensorHead <= kMaxPackBytes;
  if ((value.raw() == nullptr && size > 0) || !fits) {
    write_digest(value);
    return;
  }
  tensors_.u8(static_cast<std::uint8_t>(Form::whole));
  tensors_.number(value.id());
  write_type(tensors_, value.type());
  tensors_.number(size);
  tensors_.raw(value.raw(), size);
}

void FramePacker::write_digest(const Tensor& value) {
  const bool has_elements = value.raw() != nullptr || slices_of(value.impl()) != nullptr;
  const TensorStats stats = has_elements ? tensor_stats(value) : TensorStats{};
  tensors_.u8(static_cast<std::uint8_t>(Form::digest));
  tensors_.number(value.id());
  write_type(tensors_, value.type());
  for (const double number : {stats.min, stats.max, stats.mean, stats.norm}) tensors_.f64(number);
  for (const std::int64_t count : {stats.zeros, stats.nans, stats.infinities, stats.count}) {
    tensors_.number(static_cast<std::uint64_t>(count));
  }
  // An element of rows is a search through them: their statistics have to do.
  const std::int64_t sample = value.raw() ? std::min<std::int64_t>(limits_.sample, value.numel()) : 0;
  tensors_.number(static_cast<std::uint64_t>(sample));
  for (std::int64_t i = 0; i < sample; ++i)
    tensors_.f64(element_value(value, value.numel() / sample * i + value.numel() % sample * i / sample));
}

void FramePacker::write(ByteWriter& out) const {
  for (const auto& [count, part] :
       {std::pair{text_numbers_.size(), &texts_}, std::pair{tensor_numbers_.size(), &tensors_},
        std::pair{frame_count_, &frames_}}) {
    out.number(count);
    out.raw(part->bytes().data(), part->size());
  }
  out.raw(sources_.bytes().data(), sources_.size());
}

void FramePacker::clear() {
  text_numbers_.clear();
  tensor_numbers_.clear();
  held_.clear();
  wanted_.clear();
  for (ByteWriter* part : {&texts_, &tensors_, &frames_, &sources_}) part->clear();
  frame_count_ = items_ = names_ = 0;
}

// ---- reading ----

namespace {

// One of the two.
struct ReadTensor {
  Tensor value;
  std::shared_ptr<TensorDigest> digest;
};

bool rows_fit(const Tensor& values, const Tensor& indices, const Type& dense) {
  if (!values.raw() || !indices.raw() || indices.rank() != 1 || !is_integer(indices.dtype())) return false;
  if (dense.shape.rank() == 0 || dense.numel > kMostDense || values.dtype() != dense.dtype) return false;
  if (values.rank() != dense.shape.rank() || values.dim(0) != indices.dim(0)) return false;
  for (int i = 1; i < values.rank(); ++i) {
    if (values.dim(i) != dense.shape[i]) return false;
  }
  return true;
}

bool read_digest(ByteReader& in, TensorDigest& digest) {
  TensorStats& stats = digest.stats;
  for (double* number : {&stats.min, &stats.max, &stats.mean, &stats.norm}) *number = in.f64();
  for (std::int64_t* count : {&stats.zeros, &stats.nans, &stats.infinities, &stats.count}) {
    *count = static_cast<std::int64_t>(in.number(std::uint64_t{1} << 53));
  }
  digest.sample.resize(in.count(sizeof(double)));
  for (double& value : digest.sample) value = in.f64();
  return !in.failed();
}

bool read_tensor(ByteReader& in, std::span<const ReadTensor> before, ReadTensor& to) {
  const auto form = static_cast<Form>(in.u8());
  const TensorId id = in.number();
  const Type* type = read_type(in);
  if (in.failed()) return false;
  TensorDigest digest;
  switch (form) {
    case Form::whole: {
      const std::span<const std::uint8_t> bytes = in.raw(in.count(1));
      if (in.failed()) return false;
      if (!type) break;
      if (static_cast<std::int64_t>(bytes.size()) != type->bytes) return in.fail();
      to.value = make_from_bytes(type->dtype, type->shape, bytes.data());
      break;
    }
    case Form::rows: {
      const std::uint64_t values = in.number(), indices = in.number();
      if (in.failed() || values >= before.size() || indices >= before.size()) return in.fail();
      const Tensor &v = before[values].value, &i = before[indices].value;
      // Parts that were too large themselves leave a digest without statistics.
      if (v && i && type && rows_fit(v, i, *type)) to.value = make_slices(v, i, type);
      break;
    }
    case Form::digest:
      if (!read_digest(in, digest)) return false;
      break;
    default: return in.fail();
  }
  if (to.value) {
    to.value.impl()->id = id;
    return true;
  }
  digest.stats.tensor = id;
  digest.stats.type = type;
  to.digest = std::make_shared<TensorDigest>(std::move(digest));
  return true;
}

// What the frames of a pack have taken so far.
struct PackSize {
  std::size_t items = 0, names = 0;
};

bool read_list(ByteReader& in, std::span<const std::string_view> texts, std::span<const ReadTensor> tensors,
               PlacedDigest::List which, PackSize& size, std::vector<FrameTensor>& list,
               std::vector<PlacedDigest>& digests) {
  const std::size_t count = in.count(2);
  size.items += count;
  if (size.items > kMaxPackItems) return in.fail();
  list.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t name = in.number(), tensor = in.number();
    if (in.failed() || name >= texts.size() || tensor > tensors.size()) return in.fail();
    size.names += texts[name].size();
    if (size.names > kMaxPackNames) return in.fail();
    list[i].name = texts[name];
    if (tensor == 0) continue;
    const ReadTensor& from = tensors[tensor - 1];
    list[i].value = from.value;
    if (!from.value) digests.push_back({which, i, from.digest});
  }
  return true;
}

bool read_attrs(ByteReader& in, std::span<const std::string_view> texts, Attrs& attrs) {
  for (double& value : attrs.f) value = in.f64();
  const std::uint64_t text = in.number();
  attrs.flags = static_cast<std::uint32_t>(in.number(0xffffffffu));
  in.number();  // the object is one of the writer's process
  const std::uint64_t ints = in.number(Attrs::kMaxInts);
  for (std::uint64_t i = 0; i < ints; ++i) attrs.push(unfolded(in.number(0xffffffffu)));
  if (in.failed() || text >= texts.size()) return in.fail();
  attrs.text = intern_name(texts[text]);
  return true;
}

bool read_frame(ByteReader& in, std::span<const std::string_view> texts, std::span<const ReadTensor> tensors,
                PackSize& size, KeptFrame& kept, bool& tells_sources) {
  Frame& frame = kept.frame;
  const auto text = [&]() -> std::string_view {
    const std::uint64_t number = in.number();
    if (number < texts.size()) return texts[number];
    in.fail();
    return {};
  };
  kept.hash = in.u64();
  frame.cursor = in.number();
  frame.inner = in.number();
  const std::uint8_t bits = in.u8();
  frame.backward = bits != 0;
  tells_sources = (bits & kSources) != 0;
  const std::string_view op = text();
  frame.output = in.number();
  const std::string_view file = text(), function = text();
  const auto line = static_cast<std::uint32_t>(in.number(0xffffffffu));
  ScopeId scope = 0;
  const std::uint64_t scopes = in.number(kMostScopes);
  for (std::uint64_t i = 0; i < scopes && !in.failed(); ++i) scope = intern_scope(scope, intern_name(text()));
  if (in.failed()) return false;
  try {
    frame.op = intern_op_name(op);
  } catch (const Error&) {
    return in.fail();  // more op names than a process can hold
  }
  if (!file.empty() || line != 0) frame.site = intern_site(file, function, line, scope);
  if (!read_attrs(in, texts, frame.attrs)) return false;
  for (std::size_t i = 0; i < kLists.size(); ++i) {
    if (!read_list(in, texts, tensors, static_cast<PlacedDigest::List>(i), size, frame.*kLists[i],
                   kept.digests))
      return false;
  }
  return !in.failed();
}

}  // namespace

const TensorDigest* digest_of(std::span<const PlacedDigest> digests, PlacedDigest::List list,
                              std::size_t index) {
  for (const PlacedDigest& placed : digests) {
    if (placed.list == list && placed.index == index) return placed.digest.get();
  }
  return nullptr;
}

bool read_frames(ByteReader& in, std::vector<KeptFrame>& frames) {
  frames.clear();
  std::vector<std::string_view> texts(static_cast<std::size_t>(in.number(kMaxPackTexts)));
  for (std::string_view& text : texts) text = in.text();
  if (in.failed()) return false;
  std::vector<ReadTensor> tensors;
  const std::uint64_t tensor_count = in.number(kMaxPackTensors);
  for (std::uint64_t i = 0; i < tensor_count; ++i) {
    ReadTensor tensor;
    if (!read_tensor(in, tensors, tensor)) return false;
    tensors.push_back(std::move(tensor));
  }
  const std::uint64_t count = in.number(kMaxPackFrames);
  PackSize size;
  std::vector<bool> tells_sources;
  for (std::uint64_t i = 0; i < count; ++i) {
    bool sources = false;
    if (!read_frame(in, texts, tensors, size, frames.emplace_back(), sources)) return false;
    tells_sources.push_back(sources);
  }
  for (std::size_t i = 0; i < frames.size(); ++i) {
    for (FrameTensor& item : frames[i].frame.accumulated) {
      if (!tells_sources[i]) break;
      item.source = in.number();
      item.source_index = static_cast<std::uint32_t>(in.number(0xffffffffu));
    }
  }
  return !in.failed();
}

}  // namespace tapescope::record
