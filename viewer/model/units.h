// How figures are written for people, in the window and on the command line alike: three digits and a unit.
#pragma once
#include <string>

namespace tapescope {

// A time in microseconds: "0.4 µs", "31.2 µs", "4203 µs", "42.0 ms", "1.25 s". Not finite: "–".
std::string format_us(double microseconds);
// A time in microseconds beside another one, with its change against that: "8.1 µs +12 %". No change is said
// where it rounds to nothing or the other is too short to be measured.
std::string format_us_beside(double microseconds, double other);
// A size in bytes by powers of 1024: "256 B", "258 KiB", "1.5 MiB". Not finite: "–".
std::string format_bytes(double bytes);
// A number of things by powers of 1000: "328 k", "26.3 M". Not finite: "–".
std::string format_count(double count);
// An element of a tensor: "0.0921", "-1.2e-10", "NaN", "-Infinity".
std::string format_value(double value);
// A share of one: "71.2 %". Not finite: "–".
std::string format_percent(double share);
// How long ago something was, in seconds: "12 s", "12 min", "3 h", "2 days". Below 0: "0 s".
std::string format_age(double seconds);

}  // namespace tapescope
