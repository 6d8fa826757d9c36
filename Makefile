# SPDX-License-Identifier: MIT
#
# make            build/setrad and build/setractl
# make check      unit, fixture and command line tests; no root, no virtual machine
#                 VALGRIND=1: under Valgrind; VALGRIND=programs: without the scripts (tests/valgrind)
# make lint       clang-tidy, cppcheck and gcc -fanalyzer over all sources, and no strcpy() and its kind (tests/lint)
# make fuzz       fuzzers, SECONDS=60 each; EXECUTIONS=N: until there are N in all; JOBS=N beside each other; clang
#                 (tests/fuzz/README.md)
# make coverage   how many lines and branches the tests run; VM=1: with the scenarios (tests/coverage/run)
# make bench      how long it takes where there is much to do, beside lsblk; fails where that is too long (tests/bench).
#                 QUICK=1: what ten thousand layers take in calls and memory, no times; JSON=FILE: written, too
# make check-vm   scenarios on real kernels in user-mode Linux; root (tests/vm/README.md)
# make check-reproducible  a second build, of the tarball and elsewhere, gives the same bytes
# make dist       setrad-VERSION.tar.xz in DISTDIR (here); VERSION is that of git (tools/version)
# make install    DESTDIR= PREFIX=/usr SYSCONFDIR=/etc UNITDIR= CATALOGDIR= TMPFILESDIR= PRESETDIR= MANDIR=
#                 BASHCOMPDIR= ZSHCOMPDIR= FISHCOMPDIR=
# make uninstall  with the same directories; what is yours in SYSCONFDIR/setrad stays
# make format     clang-format over all sources; format-check only looks
# make clean
#
# Knobs: CC=clang, SAN=1 (AddressSanitizer and UBSan), WERROR=1, V=1, BUILD=directory; CPPFLAGS, CFLAGS, LDFLAGS, LDLIBS,
# which come after the Makefile's own and so win; HARDENING= leaves out those that make an attack harder.

# Not in the flags: a commit is no reason to compile everything anew.
VERSION = $(shell tools/version)
DISTDIR ?= .
PKG_CONFIG ?= pkg-config

PREFIX ?= /usr
SYSCONFDIR ?= /etc
BINDIR ?= $(PREFIX)/bin
SBINDIR ?= $(PREFIX)/sbin
# systemd_dir VARIABLE,DEFAULT: where systemd.pc says, for our PREFIX instead of systemd's own. What is not in PREFIX is
# taken only where PREFIX is the system's.
systemd_dir = $(or $(filter $(if $(filter /usr,$(PREFIX)),/%,$(PREFIX)/%),$(shell $(PKG_CONFIG) \
                $(foreach root,prefix root_prefix rootprefix,--define-variable=$(root)=$(PREFIX)) \
                --variable=$(1) systemd 2>/dev/null)),$(PREFIX)/lib/$(2))
UNITDIR ?= $(call systemd_dir,systemdsystemunitdir,systemd/system)
PRESETDIR ?= $(call systemd_dir,systemdsystempresetdir,systemd/system-preset)
CATALOGDIR ?= $(call systemd_dir,catalogdir,systemd/catalog)
TMPFILESDIR ?= $(call systemd_dir,tmpfilesdir,tmpfiles.d)
VENDORDIR ?= $(PREFIX)/lib/setrad
DOCDIR ?= $(PREFIX)/share/doc/setrad
MANDIR ?= $(PREFIX)/share/man
BASHCOMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR ?= $(PREFIX)/share/zsh/site-functions
FISHCOMPDIR ?= $(PREFIX)/share/fish/vendor_completions.d

# Also where it is set to nothing: else make would write to /.
override BUILD := $(or $(BUILD),build$(if $(SAN),-san))
INSTALL ?= install
LIBS := libudev devmapper libsystemd yaml-0.1 mount smartcols jansson libarchive
MAINTENANCE_GOALS := clean dist format format-check uninstall

ifneq ($(filter-out $(MAINTENANCE_GOALS),$(or $(MAKECMDGOALS),all)),)
  ifneq ($(shell $(PKG_CONFIG) --exists $(LIBS) && echo yes),yes)
    $(error Missing libraries. On Debian and Ubuntu: apt-get install $$(grep -hv '^#' packages))
  endif
endif

CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings \
            -Wundef -Wvla -Wformat=2 -Wimplicit-fallthrough -Wno-unused-parameter \
            -Werror=switch # what has no case of its own would be without a name
# Of the programs, not of tests: a number that becomes another one where it is kept, handed on or printed. All compilers have
# the first two; of the others those that this one knows.
CONVERSION_WARNINGS := -Wconversion -Wsign-conversion $(shell \
        for flag in -Warith-conversion -Wformat-signedness -Wshift-overflow=2; do \
                $(CC) -Werror $$flag -fsyntax-only -x c /dev/null 2>/dev/null && echo $$flag; \
        done)
SETRAD_CPPFLAGS := -I. -I$(BUILD) -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DPKG_VENDORDIR='"$(VENDORDIR)"' \
                   -DPKG_SYSCONFDIR='"$(SYSCONFDIR)"' $(shell $(PKG_CONFIG) --cflags $(LIBS))
SETRAD_CFLAGS := -std=gnu17 -pthread $(WARNINGS) $(if $(WERROR),-Werror) -fno-common -MMD -MP
SETRAD_LDFLAGS :=
SETRAD_LDLIBS := -Wl,--as-needed $(shell $(PKG_CONFIG) --libs $(LIBS)) -lm

# Where it was built must not be seen in what was built. Compilers take PWD for the name of the directory.
SETRAD_CFLAGS += -ffile-prefix-map=$(CURDIR)=.
export PWD := $(CURDIR)

ifdef SAN
  SETRAD_CFLAGS += -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
  SETRAD_LDFLAGS += -fsanitize=address,undefined
endif
ifdef COVERAGE
  SETRAD_CFLAGS += --coverage
  SETRAD_LDFLAGS += --coverage -Wl,--wrap=_exit
endif
ifdef FUZZ
  SETRAD_CFLAGS += -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
  SETRAD_LDFLAGS += -fsanitize=address,undefined
  # Defined by C, and a mistake all the same but for common/wrap.h. Of the programs, as the warnings.
  CONVERSION_SANITIZERS := -fsanitize=unsigned-integer-overflow,unsigned-shift-base,implicit-conversion
endif

HARDENING ?= yes
ifneq ($(HARDENING),)
  # Some are for some processors only.
  SETRAD_CFLAGS += -fPIE -fstack-protector-strong $(shell \
        for flag in -fstack-clash-protection -fcf-protection -mbranch-protection=standard; do \
                $(CC) -Werror $$flag -fsyntax-only -x c /dev/null 2>/dev/null && echo $$flag; \
        done)
  SETRAD_LDFLAGS += -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
  # It needs optimization, and sanitizers see more without it. Level 3 if compiler and C library know it.
  OPTIMIZED := $(filter-out -O0,$(lastword $(filter -O%,$(CFLAGS))))
  ifneq ($(OPTIMIZED),)
    ifeq ($(SAN)$(FUZZ)$(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),)
      SETRAD_CPPFLAGS += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$(shell \
        $(CC) -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -dM -E -include features.h -x c /dev/null 2>/dev/null | \
                grep -q 'USE_FORTIFY_LEVEL 3' && echo 3 || echo 2)
    endif
  endif
endif
COMPILE = $(CC) $(SETRAD_CPPFLAGS) $(CPPFLAGS) $(SETRAD_CFLAGS) \
        $(if $(filter tests/%,$<),,$(CONVERSION_WARNINGS) $(CONVERSION_SANITIZERS)) $(CFLAGS)
LINK = $(CC) $(SETRAD_CFLAGS) $(CFLAGS) $(SETRAD_LDFLAGS) $(LDFLAGS)

ifndef V
  Q := @
  say = $(if $(findstring s,$(firstword -$(MAKEFLAGS))),,@printf '  %-6s %s\n' $(1) $(2))
endif

# Sorted: some versions of make give files in the order of the directory, which the linker then keeps.
objects = $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard $(1))))
LIB_OBJECTS := $(call objects,common/*.c config/*.c $(if $(COVERAGE),tests/coverage/*.c))
DAEMON_OBJECTS := $(call objects,daemon/*.c)
CLI_OBJECTS := $(call objects,cli/*.c)
# Everything of the programs but main(), so that tests can link it.
PROGRAM_OBJECTS := $(filter-out %/setrad.o %/setractl.o,$(DAEMON_OBJECTS) $(CLI_OBJECTS))
# Each is a program of its own: of libFuzzer with FUZZ=1 (make fuzz), else one that replays its corpus.
FUZZERS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz-*.c))
FUZZ_REPLAY := $(if $(FUZZ),,$(BUILD)/tests/fuzz/replay.o)
# Of the programs and of the tests only what a fuzzer calls: each edge that is instrumented costs time in each run.
FUZZ_SUPPORT := $(BUILD)/tests/fuzz/libsupport.a
FUZZ_SUPPORT_OBJECTS := $(call objects,$(filter-out tests/fuzz/fuzz-%.c tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c)))
# What feeds them is none of what is looked at: without edges of its own.
$(FUZZ_SUPPORT_OBJECTS): SETRAD_CFLAGS += $(if $(FUZZ),-fno-sanitize=fuzzer-no-link)
FUZZ_BUILD := build-fuzz
FUZZ_CC ?= clang
COVERAGE_BUILD := build-coverage
SECONDS ?= 60
TEST_SUPPORT := $(call objects,tests/support/*.c)
BENCHES := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/bench/bench-*.c))
VM_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/vm/programs/*.c))
# For tests/cli: what probe and tune print.
PRINT_REPORTS := $(BUILD)/tests/json/print-reports
# Tests in which calls fail: all of setractl and setrad, with another function in the place of each such call.
FAULT_OBJECTS := $(call objects,$(filter-out tests/fault/test-%,$(wildcard tests/fault/*.c)))
FAULT_TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fault/test-*.c))
FAULT_WRAPS := $(shell sed -nE 's/^WRAP.[^,]*, ([a-z0-9_]+), .*/-Wl,--wrap=\1/p' tests/fault/wrap*.c)
UNIT_TESTS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/test-*.c tests/fixtures/test-*.c)) $(FAULT_TESTS)

all: $(BUILD)/setrad $(BUILD)/setractl

$(BUILD)/libsetra.a: $(LIB_OBJECTS)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcsD $@ $^

$(BUILD)/setrad: $(DAEMON_OBJECTS) $(BUILD)/libsetra.a
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(SETRAD_LDLIBS) $(LDLIBS)

$(BUILD)/setractl: $(CLI_OBJECTS) $(BUILD)/libsetra.a
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(SETRAD_LDLIBS) $(LDLIBS)

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(TEST_SUPPORT) $(PROGRAM_OBJECTS) $(BUILD)/libsetra.a
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(SETRAD_LDLIBS) $(LDLIBS) -lcmocka

$(FAULT_TESTS): %: %.o $(FAULT_OBJECTS) $(TEST_SUPPORT) $(PROGRAM_OBJECTS) \
		$(BUILD)/libsetra.a
	$(call say,LD,$@)
	$(Q)$(LINK) $(FAULT_WRAPS) -o $@ $^ $(SETRAD_LDLIBS) $(LDLIBS) -lcmocka

# They run in the guest, which has what the two programs need and no more.
$(BUILD)/tests/vm/programs/%: $(BUILD)/tests/vm/programs/%.o $(BUILD)/libsetra.a
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(SETRAD_LDLIBS) $(LDLIBS)

$(FUZZ_SUPPORT): $(FUZZ_SUPPORT_OBJECTS) $(TEST_SUPPORT) $(PROGRAM_OBJECTS)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcsD $@ $^

$(BUILD)/tests/fuzz/fuzz-%: $(BUILD)/tests/fuzz/fuzz-%.o $(FUZZ_REPLAY) $(FUZZ_SUPPORT) $(BUILD)/libsetra.a
	$(call say,LD,$@)
	$(Q)$(LINK) $(if $(FUZZ),-fsanitize=fuzzer) -o $@ $^ \
		$(SETRAD_LDLIBS) $(LDLIBS) -lcmocka

$(BUILD)/%.o: %.c $(BUILD)/flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(COMPILE) -c -o $@ $<

$(BUILD)/config/policy-builtin.o: $(BUILD)/config/policy-builtin.inc
$(BUILD)/config/policy-builtin.inc: config/policy.d/50-setrad.yaml
	$(Q)mkdir -p $(@D)
	$(Q)sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$$/\\n"/' $< > $@

# The two with main(), which no test is linked with; and those that call it by another name.
VERSION_OBJECTS := $(BUILD)/daemon/setrad.o $(BUILD)/cli/setractl.o $(addprefix $(BUILD)/tests/fault/,setrad.o setractl.o)
$(VERSION_OBJECTS): $(BUILD)/version.h
$(BUILD)/version.h: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)line='#define SETRAD_VERSION "$(VERSION)"'; \
		echo "$$line" | cmp -s - $@ || echo "$$line" > $@

# Compiler or flags changed: build anew.
FLAGS_NOW := $(shell $(CC) --version 2>/dev/null | head -n 1): $(COMPILE) $(SETRAD_LDFLAGS) $(LDFLAGS)
$(BUILD)/flags: FORCE
	$(Q)mkdir -p $(BUILD)
	$(Q)printf '%s\n' "$$FLAGS_NOW" | cmp -s - $@ || printf '%s\n' "$$FLAGS_NOW" > $@
$(BUILD)/flags: export FLAGS_NOW := $(FLAGS_NOW)

# All that there is to compile, the tests too.
everything: all $(UNIT_TESTS) $(PRINT_REPORTS) $(FUZZERS) $(BENCHES)

# openat2.so is in what runs under Valgrind; the opener is outside.
VALGRIND_PROGRAMS := $(addprefix $(BUILD)/tests/valgrind/,openat2.so opener)
$(BUILD)/tests/valgrind/openat2.so: tests/valgrind/openat2.c $(BUILD)/flags
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(COMPILE) -fPIC -shared -o $@ $<

check: all $(UNIT_TESTS) $(PRINT_REPORTS) $(FUZZERS) $(if $(VALGRIND),$(VALGRIND_PROGRAMS))
	$(Q)VALGRIND=$(VALGRIND) BUILD=$(abspath $(BUILD)) tests/run-checks $(UNIT_TESTS) $(FUZZERS)

fuzzers: $(FUZZERS)

fuzz:
	$(Q)$(MAKE) --no-print-directory CC=$(FUZZ_CC) FUZZ=1 SAN= BUILD=$(FUZZ_BUILD) fuzzers
	$(Q)BUILD=$(FUZZ_BUILD) tests/fuzz/run $(if $(EXECUTIONS),--executions $(EXECUTIONS)) $(if $(JOBS),--jobs $(JOBS)) \
		$(SECONDS) $(patsubst $(BUILD)/%,$(FUZZ_BUILD)/%,$(FUZZERS))

bench: $(BENCHES) $(BUILD)/setractl
	$(Q)tests/bench/run $(if $(QUICK),--quick) $(if $(JSON),--json $(JSON)) $(BUILD)/setractl $(BENCHES)

# Without optimization, so that what a line comes to is what it says.
coverage:
	$(Q)$(MAKE) --no-print-directory COVERAGE=1 SAN= HARDENING= CFLAGS='-O0 -g' BUILD=$(COVERAGE_BUILD) coverage-now

coverage-now: everything
	$(Q)tests/coverage/run $(BUILD) '$(if $(VM),--vm)' $(UNIT_TESTS) $(FUZZERS)

check-vm:
	tests/vm/run

# For tests/vm/run: DESTDIR is where the guest finds them.
install-vm-programs: $(VM_PROGRAMS)
	$(INSTALL) -D -t $(DESTDIR) $^

POLICIES := $(sort $(wildcard config/policy.d/*.yaml))
EXAMPLES := $(sort $(wildcard config/examples/*.yaml)) config/setrad.yaml
MAN_PAGES := $(patsubst docs/man/%,$(BUILD)/man/%,$(sort $(wildcard docs/man/*.[58])))
SCHEMAS := $(sort $(wildcard docs/*.schema.json))
DOCS := $(sort $(wildcard docs/*.md))
# README, and what it links to beside it.
TOP_DOCS = README.md $(sort $(wildcard $(shell grep -oE '\]\([A-Z]+(\.md)?\)' README.md | tr -d '()]')))
INSTALLED_DOCS = $(addprefix $(BUILD)/doc/,$(TOP_DOCS) $(DOCS))

# Anew each time: the directories may be others.
$(BUILD)/setrad.service: systemd/setrad.service FORCE
	$(Q)mkdir -p $(@D)
	$(Q)sed 's|@SBINDIR@|$(SBINDIR)|g; s|@VENDORDIR@|$(VENDORDIR)|g; s|@DOCDIR@|$(DOCDIR)|g' $< > $@

# Likewise. The pages name the usual directories.
$(BUILD)/man/%: docs/man/% FORCE
	$(Q)mkdir -p $(@D)
	$(Q)sed 's|/usr/lib/setrad|$(VENDORDIR)|g; s|/etc/setrad|$(SYSCONFDIR)/setrad|g; s|/usr/share/doc/setrad|$(DOCDIR)|g' $< > $@

SOURCE_DIRECTORIES := \.github|cli|common|config|daemon|debian|packaging|systemd|tests
# Where it is installed there is no source beside it: links into that become plain text.
$(BUILD)/doc/%: % FORCE
	$(Q)mkdir -p $(@D)
	$(Q)sed -E -e 's|\]\(((\.\./)*)config/examples|](\1examples|g; s|\]\((\.\./)*config/policy\.d/|]($(VENDORDIR)/policy.d/|g' \
		-e 's,\[([^][]*)\]\((\.\./)*($(SOURCE_DIRECTORIES))(/[^)]*)?\),\1,g' $< > $@

install: all $(BUILD)/setrad.service $(MAN_PAGES) $(INSTALLED_DOCS)
	$(INSTALL) -D -m 755 $(BUILD)/setrad $(DESTDIR)$(SBINDIR)/setrad
	$(INSTALL) -D -m 755 $(BUILD)/setractl $(DESTDIR)$(BINDIR)/setractl
	$(INSTALL) -D -m 644 $(BUILD)/setrad.service $(DESTDIR)$(UNITDIR)/setrad.service
	$(INSTALL) -D -m 644 systemd/setrad.preset $(DESTDIR)$(PRESETDIR)/90-setrad.preset
	$(INSTALL) -D -m 644 systemd/setrad.tmpfiles $(DESTDIR)$(TMPFILESDIR)/setrad.conf
	$(INSTALL) -D -m 644 systemd/setrad.catalog $(DESTDIR)$(CATALOGDIR)/setrad.catalog
	$(INSTALL) -d $(DESTDIR)$(SYSCONFDIR)/setrad/policy.d
	$(INSTALL) -D -m 644 -t $(DESTDIR)$(VENDORDIR)/policy.d $(POLICIES)
	$(INSTALL) -D -m 644 -t $(DESTDIR)$(DOCDIR) $(addprefix $(BUILD)/doc/,$(TOP_DOCS))
	$(INSTALL) -D -m 644 -t $(DESTDIR)$(DOCDIR)/docs $(addprefix $(BUILD)/doc/,$(DOCS)) $(SCHEMAS)
	$(INSTALL) -D -m 644 -t $(DESTDIR)$(DOCDIR)/examples $(EXAMPLES)
	$(INSTALL) -D -m 644 -t $(DESTDIR)$(MANDIR)/man5 $(filter %.5,$(MAN_PAGES))
	$(INSTALL) -D -m 644 -t $(DESTDIR)$(MANDIR)/man8 $(filter %.8,$(MAN_PAGES))
	$(INSTALL) -D -m 644 completion/setractl.bash $(DESTDIR)$(BASHCOMPDIR)/setractl
	$(INSTALL) -D -m 644 completion/_setractl $(DESTDIR)$(ZSHCOMPDIR)/_setractl
	$(INSTALL) -D -m 644 completion/setractl.fish $(DESTDIR)$(FISHCOMPDIR)/setractl.fish
	$(if $(DESTDIR),,-journalctl --update-catalog)
	$(if $(DESTDIR),,-systemd-tmpfiles --create $(TMPFILESDIR)/setrad.conf)

INSTALLED = $(SBINDIR)/setrad $(BINDIR)/setractl $(UNITDIR)/setrad.service $(PRESETDIR)/90-setrad.preset \
            $(TMPFILESDIR)/setrad.conf $(CATALOGDIR)/setrad.catalog \
            $(addprefix $(VENDORDIR)/policy.d/,$(notdir $(POLICIES))) \
            $(addprefix $(DOCDIR)/,$(TOP_DOCS) $(DOCS) $(SCHEMAS)) \
            $(addprefix $(DOCDIR)/examples/,$(notdir $(EXAMPLES))) \
            $(addprefix $(MANDIR)/man5/,$(notdir $(filter %.5,$(MAN_PAGES)))) \
            $(addprefix $(MANDIR)/man8/,$(notdir $(filter %.8,$(MAN_PAGES)))) \
            $(BASHCOMPDIR)/setractl $(ZSHCOMPDIR)/_setractl $(FISHCOMPDIR)/setractl.fish
OWN_DIRECTORIES := $(VENDORDIR)/policy.d $(VENDORDIR) $(DOCDIR)/docs $(DOCDIR)/examples $(DOCDIR) \
                   $(SYSCONFDIR)/setrad/policy.d $(SYSCONFDIR)/setrad

uninstall:
	rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	for directory in $(addprefix $(DESTDIR),$(OWN_DIRECTORIES)); do \
		[ ! -d $$directory ] || rmdir --ignore-fail-on-non-empty $$directory; \
	done
	$(if $(DESTDIR),,-journalctl --update-catalog)

dist:
	$(Q)tools/dist '$(VERSION)' $(DISTDIR) $(DIST_COMMIT)

check-reproducible: all
	+$(Q)tests/check-reproducible $(BUILD)

SOURCES := $(wildcard common/*.[ch] config/*.[ch] daemon/*.[ch] cli/*.[ch] tests/*/*.[ch] tests/vm/*/*.[ch])
CLANG_FORMAT ?= clang-format

format:
	$(CLANG_FORMAT) -i $(SOURCES)

format-check:
	$(CLANG_FORMAT) --dry-run -Werror $(SOURCES)

clean:
	rm -rf build build-san $(FUZZ_BUILD) $(COVERAGE_BUILD)

include tests/lint/lint.mk

.PHONY: all bench check check-reproducible check-vm clean coverage coverage-now dist everything fuzz fuzzers install \
        install-vm-programs uninstall format format-check FORCE
.SECONDARY:
.DELETE_ON_ERROR:

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
