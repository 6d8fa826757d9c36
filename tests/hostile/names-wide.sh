# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: names that are wide: Chinese, emoji, combined; columns stay in line
named 卷一 💾💾 $'👩\u200d💻' ﾊﾝｶｸ ｆｕｌｌ
