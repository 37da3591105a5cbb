# "make help" lists the goals: of each, what "## GOAL: TEXT" has below.

VERSION = 1.0.0

PREFIX = /usr/local
LIBDIR = $(PREFIX)/lib
SYSCONFDIR = /etc
MANDIR = $(PREFIX)/share/man
DOCDIR = $(PREFIX)/share/doc/splitpin
BINDIR = $(PREFIX)/bin
COMPDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
# The parts that nobody names, below $(LIBDIR): SP_PARTS_FOLDER in lib/elf/origin.h.
PARTSDIR = $(LIBDIR)/splitpin
MODULEDIR = $(PREFIX)/share/splitpin/modulefiles
# systemd looks here in packages; elsewhere they are examples.
UNITDIR = $(PREFIX)/share/splitpin/systemd
B = build

PKG_CONFIG = pkg-config
CFLAGS = -O2 -g
# Suites that start jobs run one after another; what they build need not.
JOBS = $(shell nproc)
BUILD_IN = $(MAKE) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes $(if $(CI),-Werror)
SP_CFLAGS = -std=gnu11 -D_GNU_SOURCE -DSP_VERSION='"$(VERSION)"' $(WARN) \
	-Ilib -Iinclude -I. -fPIC -fvisibility=hidden -fdebug-prefix-map=$(CURDIR)=.

# HWLOC=static: hwloc and libnuma become parts of splitpin's own libraries, for
# containers that have neither.  In a build folder of its own, B=build/static.
STATIC = build/deps/static
IS_STATIC = $(filter static,$(HWLOC))
comma = ,

# Looked up when used, not when this file is read: "make deps" may have just
# installed them.
HWLOC_CFLAGS = $(if $(IS_STATIC),-I$(STATIC)/include,$(shell $(PKG_CONFIG) --cflags hwloc))
HWLOC_LIBS = $(if $(IS_STATIC),$(STATIC)/lib/libhwloc.a $B/lib/base.a -lm,$(shell $(PKG_CONFIG) --libs hwloc))
NUMA_LIBS = $(if $(IS_STATIC),$(STATIC)/lib/libnuma.a $B/lib/base.a,-lnuma)
CHECK_CFLAGS = $(shell $(PKG_CONFIG) --cflags check)
CHECK_LIBS = $(shell $(PKG_CONFIG) --libs check)
# It can be built without.
PMIX_CFLAGS = $(shell CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' CFLAGS='$(CFLAGS)' build-aux/pmix-flags)
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all

# glibc before 2.34 has these apart; in newer ones they are empty.
LIBC_PARTS = -Wl,--as-needed -ldl -lpthread

# A folder is a layer.  The objects of the upper ones are linked as they are;
# those below are archives, of which a link takes what it needs.
objects = $(patsubst %,$B/%.o,$(basename $(sort $(wildcard $(1:%=%/*.c) $(1:%=%/*.S)))))
archives = -Wl,--start-group $(filter %.a,$1) -Wl,--end-group
VERSION_OBJ = $B/lib/base/version.o

SHIM = $(call objects,lib/shim ompt) $(VERSION_OBJ) $(patsubst %,$B/lib/%.a,launcher launcher/known elf base)
ENGINE = $(call objects,lib/engine) $(VERSION_OBJ) \
	$(patsubst %,$B/lib/%.a,threads share node report board settings launcher launcher/known gpus decide cut slots process elf base)
HARDWARE = $(call objects,lib/hardware) $(VERSION_OBJ) $(patsubst %,$B/lib/%.a,elf base)
NUMA = $(call objects,lib/numa) $(VERSION_OBJ) $B/lib/base.a
COMMAND_FOLDERS = cmd $(patsubst %/,%,$(sort $(wildcard cmd/*/ cmd/*/*/)))
COMMAND_LAYERS = $(patsubst %,$B/lib/%.a,hardware report board settings launcher launcher/known gpus decide cut slots process elf base)
COMMAND = $(call objects,$(COMMAND_FOLDERS)) $(COMMAND_LAYERS)
# The command's and the engine's own, not for programs of tests: its start, and what they have of libc.
START = $(patsubst %,$B/%.o,cmd/start cmd/late lib/engine/late)
ALL_LAYERS = $(COMMAND_FOLDERS:%=$B/%.a) $(patsubst %/,$B/%.a,$(filter-out lib/shim/,$(wildcard lib/*/ lib/*/*/)))
BENCH_PLAN = $B/bench/plan.o $(patsubst %,$B/lib/%.a,cut slots base)

PARTS = libsplitpin-engine.so libsplitpin-hardware.so libsplitpin-numa.so
LIBRARIES = libsplitpin.so $(PARTS)

## all: the four libraries and the command, in build/; the default
all: $(LIBRARIES:%=$B/%) $B/splitpin $B/survey-report

# No start files, few segments, and a hash table (-O1) in which the loader finds
# out sooner that a name is not ours: each would cost every process of a site.
# Never unmapped: handlers of pthread_atfork and thread keys point into it.  Of
# libc nothing but what lib/shim/late.S leaves; the loader itself has _r_debug.
$B/libsplitpin.so: $(SHIM) $B/lib/shim/exports.map
$B/libsplitpin.so: LINK = -shared -nostartfiles -Wl,-z,noseparate-code -Wl,-O1 -Wl,-z,nodelete \
	-Wl,--version-script=$B/lib/shim/exports.map -nodefaultlibs
$B/libsplitpin.so: LIBS = -l:libc.so.6 -lgcc
$B/libsplitpin-engine.so: $(ENGINE)
$B/libsplitpin-engine.so: LINK = -shared -nostartfiles -Wl,-z,noseparate-code
$B/libsplitpin-engine.so: LIBS = $(LIBC_PARTS)
$B/libsplitpin-hardware.so: $(HARDWARE)
$B/libsplitpin-hardware.so: LIBS = $(HWLOC_LIBS) $(LIBC_PARTS)
$B/libsplitpin-numa.so: $(NUMA)
$B/libsplitpin-numa.so: LIBS = $(NUMA_LIBS) $(LIBC_PARTS)
$B/libsplitpin-hardware.so $B/libsplitpin-numa.so: LINK = -shared $(IS_STATIC:static=-Wl$(comma)--exclude-libs$(comma)ALL)
$B/splitpin: $(COMMAND)
$B/splitpin: LIBS = $(HWLOC_LIBS) -lm $(LIBC_PARTS)
$B/bench-plan: $(BENCH_PLAN)

# What splitpin survey report becomes.
$B/survey-report: cmd/survey/survey-report
	@mkdir -p $(@D)
	cp $< $@

$(LIBRARIES:%=$B/%):
	$(CC) $(CFLAGS) $(LDFLAGS) $(LINK) -Wl,-z,defs -Wl,-soname,$(@F) -o $@ \
		$(filter %.o,$^) $(call archives,$^) $(LIBS)
link_program = $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(call archives,$^) $(LIBS)
$B/splitpin $B/bench-plan:
	$(link_program)

# Objects stay: they are not made anew for the next link.
.SECONDARY:
.SECONDEXPANSION:
$B/%.a: $$(filter-out $(START),$$(call objects,$$*))
	@rm -f $@
	$(AR) rcs $@ $^
$B/%.o: %.c
	@mkdir -p $(@D)
	$(CC) -include lib/base/libc_names.h $(SP_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
$B/%.o: %.S
	@mkdir -p $(@D)
	$(CC) $(SP_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# The versions of exported names are the processor's.
$B/lib/shim/exports.map: lib/shim/exports.map lib/shim/export.h
	@mkdir -p $(@D)
	$(CC) -E -P -x c -Ilib -o $@ $<

$B/lib/shim/%.o $B/ompt/%.o: SP_CFLAGS += -ftls-model=initial-exec
# What looks up exec's next definition, maybe on a stack of one page: the
# loader's own work on a first call takes most of that.
$B/lib/elf/objects.o: SP_CFLAGS += -fno-plt
$(call objects,lib/hardware lib/numa) $(patsubst %,$B/tests/unit/%.o,test_machines test_kinds): SP_CFLAGS += $(HWLOC_CFLAGS)
$(if $(IS_STATIC),$(call objects,lib/hardware lib/numa): | $(STATIC)/ready)
$(STATIC)/ready:
	CC='$(CC)' build-aux/static-deps.sh $(STATIC)
$B/lib/launcher/pmix.o: SP_CFLAGS += $(PMIX_CFLAGS)
$B/lib/settings/site_file.o: SP_CFLAGS += -DSP_SYSCONFDIR='"$(SYSCONFDIR)"'
# Those that name the version are made anew with the file that has it.
$(patsubst %.c,$B/%.o,$(shell grep -l SP_VERSION lib/*/*.c lib/*/*/*.c cmd/*.c cmd/*/*.c cmd/*/*/*.c)): Makefile
# Made anew where another SYSCONFDIR is asked for.
$B/lib/settings/site_file.o: $B/sysconfdir
$B/sysconfdir: FORCE
	@mkdir -p $(@D)
	@echo '$(SYSCONFDIR)' | cmp -s - $@ || echo '$(SYSCONFDIR)' >$@
.PHONY: FORCE
$B/cmd/library.o: SP_CFLAGS += -DSP_LIBDIR='"$(LIBDIR)"'
$B/tests/unit/%.o: SP_CFLAGS += $(CHECK_CFLAGS)

## deps: installs what building needs; make deps GOAL: what GOAL needs
deps:
	build-aux/deps.sh $B $(filter-out deps,$(MAKECMDGOALS))

## demo: the bug and the fix on this machine
demo: all
	bench/demo.sh

## bench: what it costs, as ratios
bench: all $B/bench-plan
	bench/bench.sh
	bench/jobs.sh $B
	bench/needs.sh $B
	bench/settle.sh $B
	bench/steps.sh $B
	bench/ranks.sh $B
	bench/init.sh $B
	$B/bench-plan
	bench/memory.sh $B
	bench/regions.sh $B
	bench/peers.py $B

# Every system looks in these by itself.
ON_PATHS = $(filter /usr /usr/local,$(PREFIX))
FILL = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@BINDIR@|$(BINDIR)|' \
	-e 's|@MANDIR@|$(MANDIR)|' -e 's|@VERSION@|$(VERSION)|'
FILL_MODULE = $(FILL) $(if $(ON_PATHS),-e '/its manual and its file/Q')

# What tests and measurements have shown: for those who have the sources.
EVIDENCE = docs/cost.md docs/cut.md docs/tested.md

## install: with PREFIX=/usr/local and DESTDIR=
install: all
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PARTSDIR) $(DESTDIR)$(DOCDIR)/docs \
		$(DESTDIR)$(COMPDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR) $(DESTDIR)$(MODULEDIR)/splitpin
	install -m 755 $B/splitpin $(DESTDIR)$(BINDIR)
	install -m 644 completions/splitpin.bash $(DESTDIR)$(COMPDIR)/splitpin
	install -m 644 completions/_splitpin $(DESTDIR)$(ZSHDIR)
	install -m 644 completions/splitpin.fish $(DESTDIR)$(FISHDIR)
	install -m 755 $B/libsplitpin.so $(DESTDIR)$(LIBDIR)
	install -m 755 $(PARTS:%=$B/%) $(DESTDIR)$(PARTSDIR)
	install -m 644 $B/survey-report $(DESTDIR)$(PARTSDIR)
	for page in man/*.[157]; do \
		install -D -m 644 $$page $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/} || exit; done
	install -m 644 README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md LICENSE $(DESTDIR)$(DOCDIR)
	install -m 644 $(filter-out $(EVIDENCE),$(wildcard docs/*.md docs/*.svg docs/*.json docs/*.example)) $(DESTDIR)$(DOCDIR)/docs
	$(FILL) build-aux/splitpin.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/splitpin.pc
	$(FILL_MODULE) modulefiles/splitpin.lua.in >$(DESTDIR)$(MODULEDIR)/splitpin/$(VERSION).lua
	$(FILL_MODULE) modulefiles/splitpin.tcl.in >$(DESTDIR)$(MODULEDIR)/splitpin/$(VERSION)
	install -d $(DESTDIR)$(UNITDIR)
	for unit in packaging/systemd/*; do \
		$(FILL) $$unit >$(DESTDIR)$(UNITDIR)/$${unit##*/} && chmod 644 $(DESTDIR)$(UNITDIR)/$${unit##*/} || exit; done
	chmod 644 $(DESTDIR)$(LIBDIR)/pkgconfig/splitpin.pc $(DESTDIR)$(MODULEDIR)/splitpin/$(VERSION)*

# Folders that are splitpin's alone go too; MODULEDIR may be everybody's.
## uninstall: with the same PREFIX and DESTDIR
uninstall:
	rm -f $(DESTDIR)$(LIBDIR)/libsplitpin.so $(PARTS:%=$(DESTDIR)$(PARTSDIR)/%) $(DESTDIR)$(PARTSDIR)/survey-report $(DESTDIR)$(LIBDIR)/pkgconfig/splitpin.pc \
		$(foreach page,$(notdir $(wildcard man/*.[157])),$(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(page)) \
		$(DESTDIR)$(BINDIR)/splitpin $(DESTDIR)$(COMPDIR)/splitpin \
		$(DESTDIR)$(ZSHDIR)/_splitpin $(DESTDIR)$(FISHDIR)/splitpin.fish \
		$(DESTDIR)$(MODULEDIR)/splitpin/$(VERSION) $(DESTDIR)$(MODULEDIR)/splitpin/$(VERSION).lua \
		$(patsubst packaging/systemd/%,$(DESTDIR)$(UNITDIR)/%,$(wildcard packaging/systemd/*))
	rmdir $(DESTDIR)$(PARTSDIR) $(DESTDIR)$(UNITDIR) $(DESTDIR)$(MODULEDIR)/splitpin $(DESTDIR)$(PREFIX)/share/splitpin/modulefiles \
		$(DESTDIR)$(PREFIX)/share/splitpin 2>/dev/null || true
	rm -rf $(DESTDIR)$(DOCDIR)

# Built from a copy of the sources, with the distribution's own compiler flags
# and folders.
## deb: a package for Debian and Ubuntu, in build/
## rpm: one for systems with rpm
## dist: the sources as one file, with its sum
deb rpm dist:
	build-aux/build-package.sh $@ $B $(VERSION)

## spank: a plugin for the Slurm with these headers: SPANK_CFLAGS=-I...
spank: $B/spank-splitpin.so
$B/spank-splitpin.so: packaging/slurm/spank-splitpin.c lib/base/chosen.h
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE -Ilib -DSP_LIBDIR='"$(LIBDIR)"' $(WARN) $(SPANK_CFLAGS) $(CFLAGS) $(LDFLAGS) -fPIC -shared -o $@ $<

## wheel: one file for pip, hwloc and libnuma in it; WHEEL_CPU=aarch64
wheel:
	+@MAKE='$(BUILD_IN)' build-aux/build-wheel.sh $B $(VERSION) $(WHEEL_CPU)

## clean: all but what make deps has fetched
clean:
	find $B -mindepth 1 -maxdepth 1 ! -name deps -exec rm -rf {} + 2>/dev/null || true

## help: this list
help:
	@awk 'sub(/^## /, "") { goal = $$1; sub(/:$$/, "", goal); sub(/^[^ ]* /, ""); printf "%-14s %s\n", goal, $$0 }' Makefile build-aux/check.mk

.PHONY: help all deps demo bench install uninstall deb rpm dist wheel spank clean

include build-aux/check.mk
-include $(wildcard $B/*/*.d $B/*/*/*.d $B/*/*/*/*.d)
