#!/usr/bin/env bash
# Makes what is installed of the engine: public-part.sh SOURCE OUT ARCHIVE... LD, NM, OBJCOPY and AR name other tools.
#
# OUT/include gets engine/tapescope.h and the headers it leads to. OUT/libtapescope_engine.a gets the archives as one object whose
# hidden symbols (engine/core/public.h) are local: a program cannot call them, and a shared object made from it does not pass them on.
set -euo pipefail
source=$1 out=$2
shift 2
archives=("$@")
rm -rf "$out"
mkdir -p "$out/include"

waiting=(engine/tapescope.h)
declare -A seen=([engine/tapescope.h]=1)
while ((${#waiting[@]})); do
  header=${waiting[0]} waiting=("${waiting[@]:1}")
  install -D -m 644 "$source/$header" "$out/include/$header"
  while read -r next; do
    [[ ${seen[$next]:-} ]] || { seen[$next]=1; waiting+=("$next"); }
  done < <(sed -n 's/^#include "\(engine\/.*\)"$/\1/p' "$source/$header")
done

"${LD:-ld}" -r --force-group-allocation --whole-archive "${archives[@]}" -o "$out/engine.o"
# Out of their groups, unique symbols would be defined twice where a program has them too.
"${NM:-nm}" -g --defined-only "$out/engine.o" | awk '$2 == "u" { print $3 }' >"$out/unique"
# A few of the standard library's templates stay visible although the types they were made for are hidden; a copy in each object is as good.
"${NM:-nm}" -g --defined-only "$out/engine.o" | awk '$3 ~ /^_Z(T[ISV])?(NK?)?St.*9tapescope/ { print $3 }' >"$out/templates"
"${OBJCOPY:-objcopy}" --localize-hidden --localize-symbols="$out/templates" --weaken-symbols="$out/unique" "$out/engine.o"
"${AR:-ar}" rcs "$out/libtapescope_engine.a" "$out/engine.o"
