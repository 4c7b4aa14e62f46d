# `./run docs [--pictures [NAME...]] [--no-pdf]`: the manual as HTML and PDF in build/docs; with --pictures its pictures are drawn anew before.
# Sourced by ./run, which has built the application.
# shellcheck shell=bash

build_docs() {
  local root=$1 options=() pictures=() drawing=
  shift
  for word in "$@"; do
    case $word in
      --pictures) drawing=yes ;;
      --no-pdf) options+=("$word") ;;
      -h | --help) echo "usage: ./run docs [--pictures [NAME...]] [--no-pdf]"; return 0 ;;
      *)
        [[ $drawing ]] || { echo "run: docs has no option $word; usage: ./run docs [--pictures [NAME...]] [--no-pdf]" >&2; return 2; }
        pictures+=("$word")
        ;;
    esac
  done
  local wanted=(python3-markdown python3-pygments weasyprint fonts-inter fonts-jetbrains-mono)
  [[ ! $drawing ]] || wanted+=("${tapescope_test_packages[@]}")
  install_packages "$root/build/optional-packages-tried" "${wanted[@]}"
  if [[ $drawing ]]; then
    "$root/tests/support/xvfb.sh" 1700x1100 python3 -B "$root/docs/make/pictures.py" "$root/build/release/tapescope" "${pictures[@]}" || return 1
  fi
  # Debian's Python has Debian's packages; another python3 may stand before it on PATH.
  /usr/bin/python3 -B "$root/docs/make/build.py" "$root/build/release/tapescope" "$root/build/docs" "${options[@]}"
}
