#!/usr/bin/env bash
# Builds what a release consists of, each in a root of Debian that holds nothing else, and uses it in a clean one.
#   packages.sh build SUITE     Debian packages into build/release-VERSION/SUITE; with bookworm also the archive for other distributions
#   packages.sh try SUITE [PAGE...]   follows the pages of docs/first-hour word by word, each in a clean root: cpp, tensorflow, pytorch
#   packages.sh archive SUITE   unpacks the archive in a clean root of SUITE that has what README.md in it names, and uses it
#   packages.sh python          sdist, and the wheel that is built from it by Debian 12's tools
#   packages.sh wheel SUITE     installs the wheel in a clean root of SUITE and records a program, into build/release-VERSION/wheel-SUITE.tape
# SUITE is bookworm or trixie. Needs root, debootstrap and the network; roots are kept in build/roots, and what ccache keeps of their compilations. pip's
# settings hold in them, too: variables PIP_*, and the files and folders that they name.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
source "$root/cmake/install-packages.sh"
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$root/bridges/python/tapescope/version.py")
out=$root/build/release-$version
roots=$root/build/roots
archive_name=tapescope-$version-linux-$(uname -m)
# What the archive takes from the system, beside glibc 2.36: the C++ library must be that of the graphics driver.
archive_needs=(libstdc++6 libgl1 libopengl0 libxcb-render0 libxcb-shm0 libxrender1 libxext6 libx11-6 libxrandr2 libxinerama1 libxcursor1 libxi6 fontconfig-config)

usage() {
  sed -n '3,7s/^# *//p' "$0" >&2
  exit 2
}

# clean_root SUITE NAME: a new root build/roots/SUITE-NAME. What debootstrap made is made once.
clean_root() {
  local base=$roots/$1-base
  mkdir -p "$roots/ccache"
  if [[ ! -e $base/made ]]; then
    rm -rf "$base"
    debootstrap --variant=minbase "$1" "$base" >&2
    touch "$base/made"
  fi
  rm -rf "${roots:?}/$1-$2"
  cp -a "$base" "$roots/$1-$2"
}

# inside ROOT COMMAND...: in the root, with /proc; mounts end with the command. Files that pip's settings name are copied, folders are shown, both at /pip.
inside() {
  local in=$1 setting name path settings=() folders=()
  shift
  while read -r setting; do
    name=${setting%%=*} path=${setting#*=}
    if [[ $path == /* && -e $path ]]; then
      mkdir -p "$in/pip"
      if [[ -d $path ]]; then folders+=("$path" "$in/pip/$name"); else cp "$path" "$in/pip/$name"; fi
      setting=$name=/pip/$name
    fi
    settings+=("$setting")
  done < <(env | grep '^PIP_' || true)
  # shellcheck disable=SC2016  # for the inner shell
  unshare --mount --propagation private bash -c 'in=$1 count=$2 && shift 2 && mount -t proc proc "$in/proc" && while ((count-- > 0)); do
      mkdir -p "$2" && mount --bind "$1" "$2" && shift 2
    done && exec chroot "$in" env -i HOME=/root CCACHE_DIR=/ccache TERM=dumb LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"' \
    inside "$in" "$((${#folders[@]} / 2 + 1))" "$roots/ccache" "$in/ccache" "${folders[@]}" "${settings[@]}" "$@"
}

build() {
  local suite=$1 in=$roots/$1-build commit
  commit=$(git -C "$root" rev-parse --short=12 HEAD)
  clean_root "$suite" build
  inside "$in" apt-get -q update
  inside "$in" apt-get -q install -y --no-install-recommends g++ cmake file dpkg-dev patchelf "${tapescope_build_packages[@]}"
  local package
  for package in "${tapescope_optional_packages[@]}"; do  # a suite may lack one
    inside "$in" apt-get -q install -y --no-install-recommends "$package" || true
  done
  mkdir "$in/sources"
  git -C "$root" archive HEAD | tar -x -C "$in/sources"
  inside "$in" cmake -S /sources -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DTAPESCOPE_TESTS=OFF -DTAPESCOPE_COMMIT="$commit"
  inside "$in" cmake --build /build --parallel "$(nproc)"
  inside "$in" bash -c 'cd /build && cpack -B /packages'
  mkdir -p "$out/$suite"
  cp "$in"/packages/*.deb "$out/$suite/"
  ls "$out/$suite"
  [[ $suite != bookworm ]] || archive "$in"
}

# archive ROOT: the application with the libraries that differ between distributions.
archive() {
  local in=$1 name=$archive_name
  inside "$in" cmake --install /build --prefix "/archive/$name" --component application
  inside "$in" cmake --install /build --prefix "/archive/$name" --component python
  cp "$root/cmake/release/bundle.sh" "$in/bundle.sh"
  inside "$in" bash /bundle.sh "/archive/$name"
  printf '%s\n' "Tapescope $version for Linux. bin/tapescope runs where it lies, with Python programs, too; bin/python holds the Python package." \
    "It needs glibc 2.36 and, as Debian calls them: ${archive_needs[*]}, and an OpenGL 3 driver." >"$in/archive/$name/README"
  tar -C "$in/archive" -czf "$out/$name.tar.gz" "$name"
  ls -l "$out/$name.tar.gz"
}

try() {
  local suite=$1 page
  shift
  (($# > 0)) || set -- cpp tensorflow pytorch
  for page in "$@"; do follow "$suite" "$page"; done
}

# What a root needs for a window beside what is tried: a screen of memory, and OpenGL without a graphics card.
screen=(xvfb xauth libgl1-mesa-dri)

# follow SUITE PAGE: what the page says, word by word, in a clean root; its answer must come, and the window open.
follow() {
  local suite=$1 page=$root/docs/first-hour/$2.md in=$roots/$1-try-$2 answer
  [[ -e $page ]] || usage
  clean_root "$suite" "try-$2"
  mkdir -p "$in/hour/bin"
  # The window does what a script says, and ends.
  printf '%s\n' run 'wait idle 200' 'shot /hour/shot.png' 'state /hour/state.json' quit >"$in/hour/script"
  cat >"$in/hour/bin/tapescope" <<'END'
#!/bin/sh
[ "$1" != gui ] || { shift; set -- gui --script /hour/script "$@"; }
exec /usr/bin/tapescope "$@"
END
  chmod +x "$in/hour/bin/tapescope"
  cat >"$in/hour/see.sh" <<END
see() {
  echo "[\$SECONDS s] from here on a screen is needed"
  apt-get -q install -y --no-install-recommends ${screen[*]} >/dev/null
  PATH=/hour/bin:\$PATH TAPESCOPE=/hour/bin/tapescope xvfb-run -a -s "-screen 0 1280x800x24" bash -c "\$1; for _ in {1..2400}; do [ ! -s state.json ] || break; sleep 0.1; done"
  did "\$1"
}
END
  cp "$out/$suite"/*.deb "$in/hour/"
  python3 -B "$root/docs/make/blocks.py" "$page" >"$in/hour/follow.sh"
  inside "$in" apt-get -q update >/dev/null
  inside "$in" bash -c 'cd /hour && bash follow.sh' | tee "$in/hour/said.txt"
  answer=$(grep -m 1 '^The gradient of' "$page")
  grep -qF "$answer" "$in/hour/said.txt" || { echo "$suite: $page does not lead to: $answer" >&2; exit 1; }
  [[ -s $in/hour/shot.png && $(<"$in/hour/state.json") == *'"mode": "finished"'*'"cursor": '[1-9]* ]] || { echo "$suite: $page opens no window with its program" >&2; exit 1; }
  inside "$in" tapescope --version
  if inside "$in" dpkg-query -W -f '${Package}\n' | grep -E '^libopenmpi'; then echo "$suite: Open MPI is for jobs alone" >&2; exit 1; fi
  cp "$in/hour/shot.png" "$out/$suite/$2.png"
  rm -rf "$in"
}

try_archive() {
  local in=$roots/$1-archive
  clean_root "$1" archive
  tar -xzf "$out/$archive_name.tar.gz" -C "$in"
  inside "$in" apt-get -q update >/dev/null
  inside "$in" apt-get -q install -y --no-install-recommends "${archive_needs[@]}" "${screen[@]}" python3 >/dev/null
  inside "$in" bash -c 'cd /tapescope-* && bin/tapescope --version && bin/tapescope explain none-gradients --variant stop-gradient'
  inside "$in" bash -c "cd /tapescope-* && bin/tapescope python -c 'import tapescope, tapescope.application as a; print(tapescope.__version__, a.path())'" | tee "$in/said.txt"
  [[ $(<"$in/said.txt") == "$version /"*/bin/tapescope$'\n'* ]] || { echo "$1: the Python package of the archive does not run" >&2; exit 1; }
  # The window, on a screen of memory.
  printf 'run\nwait idle\nshot /shot.png\nquit\n' >"$in/script"
  inside "$in" bash -c 'xvfb-run -a -s "-screen 0 1280x800x24" /tapescope-*/bin/tapescope gui --sample derivative --size 1200x700 --script /script'
  [[ -s $in/shot.png ]] && echo "$1: the archive runs, and its window opens"
}

# What `pip` needs to build the sdist, beside Python's own headers and virtual environments.
wheel_needs=(g++ cmake ninja-build pkg-config libfmt-dev libeigen3-dev libboost-math-dev zlib1g-dev libzstd-dev)

python_packages() {
  local tools=$root/build/release-tools in=$roots/bookworm-wheel-build
  [[ -e $tools ]] || python3 -m venv "$tools"
  "$tools/bin/python" -m pip install --quiet --disable-pip-version-check 'scikit-build-core>=0.10'
  mkdir -p "$out"
  rm -f "$out"/tapescope-*.whl
  (cd "$root" && "$tools/bin/python" -c 'import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])' "$out")
  clean_root bookworm wheel-build
  cp "$out/tapescope-$version.tar.gz" "$in/"
  inside "$in" apt-get -q update >/dev/null
  inside "$in" apt-get -q install -y --no-install-recommends python3-venv python3-dev ccache "${wheel_needs[@]}" >/dev/null
  # Unpacked to a place with the same name each time, which ccache knows again.
  inside "$in" bash -c 'python3 -m venv /tools && mkdir /wheel /sources && tar -xzf /tapescope-*.tar.gz -C /sources --strip-components=1 &&
    /tools/bin/pip wheel --quiet --disable-pip-version-check --no-deps -w /wheel --config-settings=cmake.define.TAPESCOPE_VIEWER=OFF /sources'
  cp "$in"/wheel/*.whl "$out/"
  rm -rf "$in"
  ls "$out"
}

# A program without a framework: the package, its module and a recording are what is tried.
wheel_program='import sys, tapescope
for loss in (0.5, 0.25):
    tapescope.step()
    tapescope.scalar("loss", loss)
print(tapescope.__version__, tapescope.__file__, sys.version_info[:2])'

try_wheel() {
  local in=$roots/$1-wheel
  clean_root "$1" wheel
  cp "$out"/tapescope-*.whl "$in/"
  printf '%s\n' "$wheel_program" >"$in/program.py"
  inside "$in" apt-get -q update >/dev/null
  inside "$in" apt-get -q install -y --no-install-recommends python3-venv >/dev/null
  inside "$in" bash -c 'python3 -m venv /tried && /tried/bin/pip install --quiet --disable-pip-version-check --no-index /tapescope-*.whl &&
    cd / && /tried/bin/python -m tapescope --record /run.tape program.py' | tee "$in/said.txt"
  [[ $(<"$in/said.txt") == "$version /tried/lib/python3."*"/site-packages/tapescope/__init__.py (3, "*")" && -s $in/run.tape ]] ||
    { echo "$1: the wheel does not record" >&2; exit 1; }
  cp "$in/run.tape" "$out/wheel-$1.tape"
  rm -rf "$in"
  echo "$1: the wheel records"
}

case ${1-} in
  build | try | archive | wheel | python)
    [[ $1 != python ]] || set -- python bookworm
    [[ ${2-} == bookworm || ${2-} == trixie ]] || usage
    ((EUID == 0)) || { echo "packages.sh: a root of Debian can be made by root alone; run it with sudo." >&2; exit 3; }
    command -v debootstrap >/dev/null || install_packages "$root/build/optional-packages-tried" debootstrap
    case $1 in
      archive) try_archive "$2" ;;
      wheel) try_wheel "$2" ;;
      python) python_packages ;;
      *) "$@" ;;
    esac
    ;;
  *) usage ;;
esac
