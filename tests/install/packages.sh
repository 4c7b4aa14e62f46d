#!/usr/bin/env bash
# Builds what a release consists of and uses it as a user does: packages.sh PART
#   bookworm, trixie   Debian's packages, used in a clean root each by the first hours of the manual, word by word
#   archive            that for other distributions, which bookworm makes, in a root of both without our packages
#   python             wheel and sdist
# Ends with 77 where no root can be made. Objects are kept in build/roots/ccache, so that a second run takes minutes.
set -euo pipefail
release=$(cd "$(dirname "$0")/../.." && pwd)/cmake/release/packages.sh
if [[ $1 != python ]]; then
  ((EUID == 0)) || { echo "skipped: only root can make a root of Debian"; exit 77; }
  command -v debootstrap >/dev/null || { echo "skipped: debootstrap is missing"; exit 77; }
fi
case $1 in
  python) bash "$release" python ;;
  archive) for suite in bookworm trixie; do bash "$release" archive "$suite"; done ;;
  *)
    bash "$release" build "$1"
    bash "$release" try "$1"
    ;;
esac
