# SPDX-License-Identifier: MIT
# summary: an event costs the same with ten thousand maps as with ten; memory printed
# length: long
# boot: own
# processor: own
# timeout: 1800

# shellcheck source=tests/vm/events.bash
. /host/vm/events.bash
expect_restart
compare_events 10200 24576
