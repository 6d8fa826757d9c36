# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# summary: names with newlines, tabs, carriage returns, backspaces, bells and DEL
named $'two\nlines' $'tab\there' $'back\b\b\bspace' $'carriage\rreturn' $'bell\a' $'del\x7f' $'form\ffeed'
