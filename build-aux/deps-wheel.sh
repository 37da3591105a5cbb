#!/bin/bash
# Install what "make wheel" and its tests need beside the packages that deps.sh
# installs: the builder and the auditor of wheels in a virtual environment below
# the build folder, and hwloc and libnuma as archives.  Called by deps.sh.
#
#   build-aux/deps-wheel.sh [BUILD]
#
# Installs only what is missing; a second run does nothing.  Without it there is
# no wheel, and its tests are skipped.
set -u
build=$(readlink -m "${1:-build}")
# shellcheck source=build-aux/packages.sh
. "$(dirname "$0")/packages.sh"
# shellcheck source=build-aux/environment.sh
. "$(dirname "$0")/environment.sh"

mkdir -p "$build/deps"
environment "$build/deps/wheel" 32 "hatchling~=1.27" "auditwheel~=6.0"
"$(dirname "$0")/static-deps.sh" "$build/deps/static" || say "no archives of hwloc and libnuma; the tests of the wheel will be skipped"
# For the wheel of the other processor, where its compiler is installed.
case $(uname -m) in x86_64) other=aarch64 ;; *) other=x86_64 ;; esac
if command -v $other-linux-gnu-gcc > /dev/null; then
	CC=$other-linux-gnu-gcc HOST=$other-linux-gnu "$(dirname "$0")/static-deps.sh" "$build/deps/static-$other" || say "no archives for $other; its wheel will not be tested"
fi
say "wheel: ready"
