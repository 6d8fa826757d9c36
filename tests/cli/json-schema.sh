#!/bin/bash
# SPDX-License-Identifier: MIT
# docs/setractl.schema.json says of JSON what setractl prints, and what docs/json.md says: see tests/json/check-schema.
# shellcheck source=tests/json/python.bash
. tests/json/python.bash
exec "$python" tests/json/check-schema "$BUILD/setractl" "$BUILD/tests/json/print-reports"
