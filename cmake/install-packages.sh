# Debian's packages that Tapescope needs. Sourced by ./run and ./test; the names hold for Debian 12 and 13.
# shellcheck shell=bash disable=SC2034

tapescope_build_packages=(
  ninja-build pkg-config libfmt-dev nlohmann-json3-dev libcli11-dev zlib1g-dev libzstd-dev libsqlite3-dev libpng-dev
  libcairo2-dev libeigen3-dev libboost-math-dev libopenblas-dev libglfw3-dev libgl-dev libimgui-dev libfontconfig-dev
  libfreetype-dev catch2 libgl1-mesa-dri python3
)
tapescope_test_packages=(xvfb xdotool imagemagick)
# Without these the program still works: it builds slower, shows no Python programs, lacks one matrix library, its processes cannot
# exchange gradients, compiled functions run in an interpreter, it has other fonts and is installed without a man page.
tapescope_optional_packages=(ccache mold python3-dev libdnnl-dev libopenmpi-dev openmpi-bin llvm-19-dev fonts-inter fonts-jetbrains-mono help2man)

# Prints those of PACKAGE... that are not installed. One dpkg-query, as every start pays for it.
missing_packages() {
  local installed package
  # dpkg-query fails when it does not know one of them, and prints the others all the same.
  installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "$@" 2>/dev/null)"
  for package in "$@"; do
    [[ $installed == *" installed:$package "* ]] || printf '%s\n' "$package"
  done
}

# Without Debian's tools nothing can be installed here: says the first command that is missing.
require_commands() {
  local command
  for command in cmake ninja c++ pkg-config; do
    command -v "$command" >/dev/null && continue
    echo "${0##*/}: $command is missing and this is no Debian system: install what" \
      "cmake/install-packages.sh lists." >&2
    exit 3
  done
}

apt() {
  local as_root=()
  ((EUID == 0)) || as_root=(sudo)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" >&2
}

# install_packages STATE PACKAGE...: installs what is missing of PACKAGE... and of the optional ones, saying
# what on standard error; where it cannot, ends the script with 3. The file STATE remembers the optional
# packages that could not be had, so that they are tried once.
install_packages() {
  local state=$1 package required=() optional=() available=() updated=
  shift
  local wanted=("$@")
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    require_commands
    return
  fi
  # These two are often installed by other means than a package.
  command -v cmake >/dev/null || wanted+=(cmake)
  command -v c++ >/dev/null || wanted+=(g++)

  while read -r package; do
    if [[ " ${tapescope_optional_packages[*]} " != *" $package "* ]]; then
      required+=("$package")
    elif ! grep -qxF "$package" "$state" 2>/dev/null; then
      optional+=("$package")
    fi
  done < <(missing_packages "${wanted[@]}" "${tapescope_optional_packages[@]}")
  ((${#required[@]} + ${#optional[@]})) || return 0

  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    ((${#required[@]})) || return 0
    echo "${0##*/}: packages are missing and neither root nor sudo is at hand: have an administrator run" \
      "'apt-get install ${required[*]}'." >&2
    exit 3
  fi

  # A new machine comes without lists, an old one with stale ones: they are fetched when a name is not
  # known, and again below when a download fails.
  if ! apt-cache show "${required[@]}" "${optional[@]}" >/dev/null 2>&1; then
    echo "Fetching the list of packages ..." >&2
    apt update
    updated=yes
  fi
  for package in "${optional[@]}"; do
    apt-cache show "$package" >/dev/null 2>&1 && available+=("$package")
  done
  # Written first: an optional package that fails to install shall not be tried at every start.
  mkdir -p "${state%/*}"
  ((${#optional[@]})) && printf '%s\n' "${optional[@]}" >>"$state"
  ((${#required[@]} + ${#available[@]})) || return 0

  echo "Installing once: ${required[*]} ${available[*]}" >&2
  local install=(install -y --no-install-recommends)
  apt "${install[@]}" "${required[@]}" "${available[@]}" && return
  [[ $updated ]] || apt update
  apt "${install[@]}" "${required[@]}" "${available[@]}" && return
  echo "${0##*/}: the packages could not be installed, see above; try 'apt-get install ${required[*]}'." >&2
  exit 3
}
