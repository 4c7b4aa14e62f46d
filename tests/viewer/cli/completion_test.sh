#!/usr/bin/env bash
# Completes lines as bash does at a Tab: completion_test.sh TAPESCOPE COMPLETION.
set -u
tapescope=$1
source "$2"
failures=0

# completes "WORDS EXPECTED..." WORD...: the last word, which may be empty, is completed; each expected word is offered.
completes() {
  local expected=$1 word
  shift
  COMP_WORDS=("$tapescope" "$@") COMP_CWORD=$# COMPREPLY=()
  _tapescope
  for word in $expected; do
    [[ " ${COMPREPLY[*]} " == *" $word "* ]] || { echo "FAILED: '$*' offers '${COMPREPLY[*]}', not $word"; failures=1; }
  done
}
# offers_only "WORDS" WORD...
offers_only() {
  completes "$@"
  [[ $(printf '%s\n' "${COMPREPLY[@]}" | sort) == $(printf '%s\n' $1 | sort) ]] ||
    { echo "FAILED: '${*:2}' offers '${COMPREPLY[*]}', expected $1 alone"; failures=1; }
}

completes "gui list run bench --help --version" ""
offers_only "explain export" e
offers_only "sqlite svg" export --format s
offers_only "dark light contrast" gui --theme ""
completes "functions advice" report --panel ""
completes "--theme --threads" gui --th
offers_only derivative run deriv
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" && touch only.tape
offers_only only.tape gui --open ""
offers_only only.tape export derivative -o ""
completes "derivative only.tape" explain ""
exit "$failures"
