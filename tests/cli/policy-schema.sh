#!/bin/bash
# SPDX-License-Identifier: MIT
# docs/setrad-policy.schema.json says of policies what setractl check-policy does: see tests/policies/README.md.
# The distribution's packages are its own interpreter's, which need not be the first in PATH.
for python in python3 /usr/bin/python3; do
    "$python" -c 'import jsonschema, yaml' 2>/dev/null && break
done
exec "$python" tests/policies/check-schema
