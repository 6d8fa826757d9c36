# SPDX-License-Identifier: MIT
# make lint: what each tool finds in a source is kept in $(BUILD)/lint, and looked for again when source, headers, flags or
# rules change. Needs gcc, clang-tidy and cppcheck.

LINT_CC ?= gcc
LINT_PROGRAMS := $(sort $(wildcard common/*.c config/*.c daemon/*.c cli/*.c))
LINT_TESTS := $(sort $(wildcard tests/*/*.c tests/vm/*/*.c))
LINT_HEADERS := $(BUILD)/version.h $(BUILD)/config/policy-builtin.inc
LINT_FLAGS = -std=gnu17 $(filter-out -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE%,$(SETRAD_CPPFLAGS))
LINT_FOUND := $(LINT_PROGRAMS:%.c=$(BUILD)/lint/%.tidy) \
              $(LINT_PROGRAMS:%.c=$(BUILD)/lint/%.analyzer) $(LINT_TESTS:%.c=$(BUILD)/lint/%.names) \
              $(BUILD)/lint/all.cppcheck $(BUILD)/lint/all.scanf

lint: $(LINT_FOUND)
	$(Q)tests/lint/report $^

# look TOOL,FLAGS
look = $(Q)mkdir -p $(@D) && tests/lint/look $(1) $(filter %.c,$^) -- $(2) >$@.new && mv $@.new $@

$(BUILD)/lint/%.tidy: %.c .clang-tidy tests/lint/look $(BUILD)/flags | $(LINT_HEADERS)
	$(call say,TIDY,$<)
	$(call look,tidy,$(LINT_FLAGS))

# Its list of headers is that of both.
$(BUILD)/lint/%.analyzer: %.c tests/lint/look tests/lint/analyzer-exceptions tests/lint/forbidden.h $(BUILD)/flags | $(LINT_HEADERS)
	$(call say,GCC,$<)
	$(call look,analyzer,$(LINT_FLAGS) -MMD -MP -MF $(@:.analyzer=.d) -MT '$@ $(@:.analyzer=.tidy)')

$(BUILD)/lint/%.names: %.c tests/lint/look tests/lint/forbidden.h $(BUILD)/flags | $(LINT_HEADERS)
	$(call look,names,$(LINT_FLAGS) -MMD -MP -MF $(@:.names=.d) -MT $@)

$(BUILD)/lint/all.cppcheck: FORCE $(LINT_PROGRAMS) $(LINT_TESTS)
	$(call look,cppcheck,$(BUILD)/lint/cppcheck -I. -I$(BUILD) $(filter -D%,$(LINT_FLAGS)))

$(BUILD)/lint/all.scanf: $(LINT_PROGRAMS) $(LINT_TESTS) tests/lint/look
	$(call look,scanf)

$(BUILD)/lint/%.analyzer $(BUILD)/lint/%.names: export LINT_CC := $(LINT_CC)

.PHONY: lint
