# SPDX-License-Identifier: MIT
# summary: an event costs the same with a thousand maps as with ten; memory printed, of 2 MiB at most
# boot: own
# processor: own
# timeout: 300

# shellcheck source=tests/vm/events.bash
. /host/vm/events.bash
expect_restart
compare_events 1000 2048
