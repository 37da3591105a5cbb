#!/bin/bash
# Print which code this is: the commit, "-dirty" behind it where files differ from
# that, or the version where the sources are no working tree of git's.
set -u
if top=$(git rev-parse --show-toplevel 2>/dev/null) && [ "$top" -ef . ]; then
	git --no-optional-locks describe --always --dirty --exclude '*' && exit
fi
sed -n 's/^VERSION *= *//p' Makefile
