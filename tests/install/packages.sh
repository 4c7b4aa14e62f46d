#!/usr/bin/env bash
# Builds what a release consists of and uses it as a user does, for both suites of Debian: packages.sh [SUITE...]
# The packages in a clean root each by the first hours of the manual, word by word, and the archive in a root without our packages. Ends with 77 where
# no root can be made. Objects are kept in build/roots/ccache, so that a second run takes minutes.
set -euo pipefail
release=$(cd "$(dirname "$0")/../.." && pwd)/cmake/release/packages.sh
((EUID == 0)) || { echo "skipped: only root can make a root of Debian"; exit 77; }
command -v debootstrap >/dev/null || { echo "skipped: debootstrap is missing"; exit 77; }
(($#)) || set -- bookworm trixie
for suite in "$@"; do
  bash "$release" build "$suite"
  bash "$release" try "$suite"
done
# The archive is built with bookworm.
for suite in "$@"; do bash "$release" archive "$suite"; done
bash "$release" python
