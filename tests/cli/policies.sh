#!/bin/bash
# SPDX-License-Identifier: MIT
# The policies of tests/policies: see its README.md.
exec tests/policies/check-policies "$BUILD/setractl"
