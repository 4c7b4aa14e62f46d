#!/usr/bin/env bash
# Writes the man page from what --help prints, of the program and of each command: man-page.sh TAPESCOPE OUT
set -euo pipefail
tapescope=$1 out=$2
here=$(cd "$(dirname "$0")" && pwd)

more=$(mktemp)
trap 'rm -f "$more"' EXIT
cat "$here/man-page.inc" >"$more"
while read -r command; do
  printf '\n[tapescope %s]\n.nf\n' "$command"
  # Roff reads backslashes, and points at the beginning of a line.
  "$tapescope" "$command" --help | sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e 's/^\./\\\&./'
  printf '.fi\n'
done < <("$tapescope" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/\1/p') >>"$more"
"${HELP2MAN:-help2man}" --no-info --name='visual debugger and profiler for gradient tapes' --include="$more" \
  --output="$out" "$tapescope"
