#!/bin/bash
# splitpin-json(5) has every word of docs/splitpin.schema.json, which defines each of them once.
#
#   tests/man-json.sh
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

verdict "man/splitpin-json.5 has the words of docs/splitpin.schema.json" "$(tests/schema.py --words man/splitpin-json.5 2>&1)"
closing
