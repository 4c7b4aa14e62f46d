// Records of who called the functions of the program that ops ran in.
#pragma once
#include "engine/events/records/record.h"

namespace tapescope {

// From here on the thread's ops at `site` ran in a function that these lines led to, the innermost first.
// Written where they are others than those of the last op there.
struct CallersRecord {
  static constexpr RecordKind kKind{69};

  RecordKind kind = kKind;
  std::uint8_t first = 0;  // how many records of the same call chain came before this one
  std::uint16_t unused_h = 0;
  SiteField site = 0;
  SiteField nearest = 0;  // 0 where there is none, as in what follows
  SiteField second = 0;
  SiteField third = 0;
  SiteField fourth = 0;
  OrderField order = 0;
};

using CallerRecords = RecordList<CallersRecord>;

}  // namespace tapescope
