// The one include of Catch2: version 2 (Debian 12) and 3 (Debian 13) name their headers differently.
#ifndef TAPESCOPE_TESTS_SUPPORT_CATCH_H  // precompiled: see cmake/compiler.cmake for why #pragma once would
                                         // not do
#define TAPESCOPE_TESTS_SUPPORT_CATCH_H
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
inline auto contains_text(const std::string& part) { return Catch::Matchers::ContainsSubstring(part); }
#else
#include <catch2/catch.hpp>
inline auto contains_text(const std::string& part) { return Catch::Matchers::Contains(part); }
#endif
#endif
