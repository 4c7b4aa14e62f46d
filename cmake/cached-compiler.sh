#!/bin/sh
# cached-compiler.sh CCACHE ROOT COMPILER ARGUMENT...: compiles by ccache in the checkout at ROOT.
ccache=$1
# Without the sloppiness ccache passes by whatever uses a precompiled header. With the other two a second checkout, as continuous
# integration makes each time, takes what the first one compiled: sources that know where they are have a definition each.
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR="$2" CCACHE_NOHASHDIR=1
shift 2
# An older precompiled header in the place of a new one would count as a part of its source; and no two are alike unless they come
# from the cache.
kind='' output='' before=''
for argument; do
  case $before in
    -x) kind=$argument ;;
    -o) output=$argument ;;
  esac
  before=$argument
done
[ "$kind" != c++-header ] || rm -f "$output"
exec "$ccache" "$@"
