#!/usr/bin/env bash
# Installs OpenSSH's server for the tests that reach a program on another machine, where that opens no door: as root and without an init
# that would start it, as in the container of continuous integration. Elsewhere these tests are skipped where it is missing.
set -u -o pipefail
source "$(dirname "$0")/../../cmake/install-packages.sh"

command -v apt-get > /dev/null && ((EUID == 0)) && [[ ! -d /run/systemd/system ]] || exit 0
[[ -n $(missing_packages openssh-server) ]] || exit 0
apt-cache show openssh-server > /dev/null 2>&1 || apt update || exit 0
apt install -y --no-install-recommends openssh-server ||
  echo "test: openssh-server could not be installed; the tests of other machines are skipped" >&2
exit 0
