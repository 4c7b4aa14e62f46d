#!/usr/bin/env bash
# Puts the shared libraries of bin/tapescope beside it, but for those that belong to the system: bundle.sh FOLDER
# In the folder the program then finds them by its place. The Python package of the component `python` goes where the application looks for it, and
# finds the same libraries.
set -euo pipefail
folder=$1
mkdir -p "$folder/lib"
# C and C++ libraries, the graphics driver's entry and X11, which a driver must share.
system='ld-linux|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|resolv|util|GL|GLX|GLdispatch|OpenGL|EGL|X11|xcb|Xext|Xrandr|Xinerama|Xcursor|Xi|Xfixes|Xrender|Xau|Xdmcp)[.-]'
ldd "$folder/bin/tapescope" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | grep -vE "/($system)" | while read -r library; do
  cp -L "$library" "$folder/lib/"
done
patchelf --set-rpath '$ORIGIN/../lib' "$folder/bin/tapescope"
for library in "$folder"/lib/*; do patchelf --set-rpath '$ORIGIN' "$library"; done
if [[ -d $folder/tapescope ]]; then
  mkdir "$folder/bin/python"
  mv "$folder/tapescope" "$folder/bin/python/"
  # The package starts the application beside it.
  rm -rf "$folder/bin/python/tapescope/bin"
  for module in "$folder"/bin/python/tapescope/*.so; do
    patchelf --set-rpath '$ORIGIN/../../../lib' "$module"
    ldd "$module" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | grep -vE "/($system)" | while read -r library; do
      [[ -e $folder/lib/${library##*/} ]] || { echo "bundle.sh: $library is of the Python package alone" >&2; exit 1; }
    done
  done
fi
