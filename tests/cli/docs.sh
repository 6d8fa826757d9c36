#!/bin/bash
# SPDX-License-Identifier: MIT
# The documentation against the tree and the program: see tests/docs/check-docs.
exec tests/docs/check-docs "$BUILD/setractl"
