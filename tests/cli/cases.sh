#!/bin/bash
# SPDX-License-Identifier: MIT
# setractl on machines with known answers: see tests/fixtures/README.md.
exec tests/fixtures/check-cases "$BUILD/setractl" config/policy.d/50-setrad.yaml tests/fixtures/{cases,dumps}/*.json
