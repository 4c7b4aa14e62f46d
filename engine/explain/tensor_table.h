// A table from tensor ids to small numbers: threads take ids in blocks, so pages of a block stay well filled.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "engine/events/records/record.h"

namespace tapescope {

class TensorTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t find(TensorId id) const {
    if (id == 0) return kNone;
    const auto page = pages_.find(page_of(id));
    return page == pages_.end() ? kNone : (*page->second)[place_of(id)];
  }
  void set(TensorId id, std::uint32_t value) {
    const std::uint64_t wanted = page_of(id);
    if (wanted != last_ || !last_page_) {
      auto& page = pages_[wanted];
      if (!page) {
        page = std::make_unique<Page>();
        page->fill(kNone);
      }
      last_ = wanted;
      last_page_ = page.get();
    }
    (*last_page_)[place_of(id)] = value;
  }
  void clear() {
    pages_.clear();
    last_page_ = nullptr;
  }

 private:
  // The block of ids a thread takes at a time (core/tensor.cpp); ids begin at 1.
  static constexpr std::uint64_t kPage = 1024;
  using Page = std::array<std::uint32_t, kPage>;
  static std::uint64_t page_of(TensorId id) { return (id - 1) / kPage; }
  static std::uint64_t place_of(TensorId id) { return (id - 1) % kPage; }

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t last_ = 0;
  Page* last_page_ = nullptr;
};

}  // namespace tapescope
