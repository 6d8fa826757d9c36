/* SPDX-License-Identifier: MIT */
#pragma once

/* main() of setractl. Returns its exit status. */
int setractl_main(int argc, char *argv[]);
