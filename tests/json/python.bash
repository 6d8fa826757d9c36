# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sets python to one that has jsonschema. The distribution's packages are its own interpreter's, which need not be the
# first in PATH.
for python in python3 /usr/bin/python3; do
    "$python" -c 'import jsonschema' 2>/dev/null && break
done
