#!/usr/bin/env bash
# Makes what is installed of the engine: public-part.sh SOURCE OUT ARCHIVE... LD, NM, OBJCOPY and AR name other tools.
#
# OUT/include gets engine/tapescope.h and the headers it leads to. OUT/libtapescope_engine.a gets the archives as one object in which
# every symbol that those headers do not name is local: a program cannot call it, and a shared object made from it does not
# pass it on. Names of C++ are hidden here, where the archive is whole, since inside of it one folder calls another.
set -euo pipefail
source=$1 out=$2
shift 2
archives=("$@")
rm -rf "$out"
mkdir -p "$out/include"

headers=() waiting=(engine/tapescope.h)
declare -A seen=([engine/tapescope.h]=1)
while ((${#waiting[@]})); do
  header=${waiting[0]} waiting=("${waiting[@]:1}")
  headers+=("$source/$header")
  install -D -m 644 "$source/$header" "$out/include/$header"
  while read -r next; do
    [[ ${seen[$next]:-} ]] || { seen[$next]=1; waiting+=("$next"); }
  done < <(sed -n 's/^#include "\(engine\/.*\)"$/\1/p' "$source/$header")
done

# What the headers name, without their comments: in the namespace tapescope ("name"), in one nested in it ("namespace name").
words() { sed 's,//.*,,' "$@" | tr -cs 'A-Za-z0-9_' '\n' | sort -u; }
spaces() { sed -n 's/^namespace tapescope::\([a-z_]*\) {.*/\1/p' "$@" | sort -u; }
{
  words "${headers[@]}"
  for space in $(spaces "${headers[@]}"); do
    words $(grep -l "^namespace tapescope::$space {" "${headers[@]}") | sed "s/^/$space /"
  done
} >"$out/named"
mapfile -t all < <(find "$source/engine" -name '*.h' -o -name '*.cpp' -o -name '*.inl')
spaces "${all[@]}" >"$out/spaces"
# Classes that they only declare: a program has pointers to them and none of their members.
comm -23 <(sed -n 's/^\(class\|struct\) \([A-Za-z0-9]*\);$/\2/p' "${headers[@]}" | sort -u) \
  <(sed -n 's/^\(class\|struct\) \([A-Za-z0-9]*\)[ <].*[{:].*/\2/p' "${headers[@]}" | sort -u) >"$out/opaque"

"${LD:-ld}" -r --force-group-allocation --whole-archive "${archives[@]}" -o "$out/engine.o"
# Out of their groups, unique symbols would be defined twice where a program has them too.
"${NM:-nm}" -g --defined-only "$out/engine.o" | awk '$2 == "u" { print $3 }' >"$out/unique"
"${OBJCOPY:-objcopy}" --weaken-symbols="$out/unique" "$out/engine.o"
"${NM:-nm}" -g --defined-only "$out/engine.o" | awk '{ print $3 }' >"$out/symbols"
"${NM:-nm}" -g -C --defined-only "$out/engine.o" | cut -d' ' -f3- | paste -d' ' "$out/symbols" - |
  awk -v named_in="$out/named" -v spaces_in="$out/spaces" -v opaque_in="$out/opaque" '
    BEGIN {
      while ((getline line < named_in) > 0) named[line] = 1
      while ((getline line < spaces_in) > 0) space[line] = 1
      while ((getline line < opaque_in) > 0) opaque[line] = 1
    }
    function of_the_inside(name, part) {
      split(name, part, "::")
      if (part[1] in space) return part[2] != "" && !((part[1] " " part[2]) in named)
      return !(part[1] in named) || (part[1] in opaque && part[2] != "")
    }
    # A symbol is of the inside if anything in it is, as std::vector<tapescope::Inside>. So is Eigen: the program may have another.
    {
      symbol = $1
      rest = $0
      sub(/^[^ ]* /, "", rest)
      hidden = rest ~ /Eigen::/ || (match(rest, /^(vtable|VTT|typeinfo|typeinfo name) for tapescope::[A-Za-z0-9_]+$/) &&
                                    substr(rest, index(rest, "tapescope::") + 11) in opaque)
      while (!hidden && match(rest, /tapescope::(\(anonymous namespace\)|[A-Za-z0-9_]+(::~?[A-Za-z0-9_]+)?)/)) {
        hidden = of_the_inside(substr(rest, RSTART + 11, RLENGTH - 11))
        rest = substr(rest, RSTART + RLENGTH)
      }
      if (hidden) print symbol
    }' >"$out/inside"
[[ -s $out/inside ]] || { echo "no symbol of the inside was found in ${archives[*]}" >&2; exit 1; }
"${OBJCOPY:-objcopy}" --localize-symbols="$out/inside" "$out/engine.o"
"${AR:-ar}" rcs "$out/libtapescope_engine.a" "$out/engine.o"
