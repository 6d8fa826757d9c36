#!/bin/bash
# SPDX-License-Identifier: MIT
# The settings of tests/settings: see its README.md.
exec tests/settings/check-settings "$BUILD/setractl"
