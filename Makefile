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
B = build

PKG_CONFIG = pkg-config
CFLAGS = -O2 -g
# Suites that start jobs run one after another; what they build need not.
JOBS = $(shell nproc)
BUILD_IN = $(MAKE) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes $(if $(CI),-Werror)
SP_CFLAGS = -std=gnu11 -D_GNU_SOURCE -DSP_VERSION='"$(VERSION)"' $(WARN) \
	-Ilib -Iinclude -I. -fPIC -fvisibility=hidden

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
# Parts without which it can be built.
HEADER_FLAGS = CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' CFLAGS='$(CFLAGS)' build-aux/header-flags
PMIX_CFLAGS = $(shell $(HEADER_FLAGS) pmix)
OMPT_CFLAGS = $(shell $(HEADER_FLAGS) ompt)
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all

# glibc before 2.34 has these apart; in newer ones they are empty.
LIBC_PARTS = -Wl,--as-needed -ldl -lpthread

# A folder is a layer.  The objects of the upper ones are linked as they are;
# those below are archives, of which a link takes what it needs.
objects = $(patsubst %,$B/%.o,$(basename $(wildcard $(1:%=%/*.c) $(1:%=%/*.S))))
archives = -Wl,--start-group $(filter %.a,$1) -Wl,--end-group
VERSION_OBJ = $B/lib/base/version.o

SHIM = $(call objects,lib/shim ompt) $(VERSION_OBJ) $(patsubst %,$B/lib/%.a,launcher launcher/known elf base)
ENGINE = $(call objects,lib/engine) $(VERSION_OBJ) \
	$(patsubst %,$B/lib/%.a,threads share node report terms board settings launcher launcher/known gpus cut slots process elf base)
HARDWARE = $(call objects,lib/hardware) $(VERSION_OBJ) $(patsubst %,$B/lib/%.a,elf base)
NUMA = $(call objects,lib/numa) $(VERSION_OBJ) $B/lib/base.a
COMMAND_FOLDERS = cmd $(patsubst %/,%,$(wildcard cmd/*/ cmd/*/*/))
COMMAND_LAYERS = $(patsubst %,$B/lib/%.a,hardware report terms board settings launcher launcher/known gpus cut slots process elf base)
COMMAND = $(call objects,$(COMMAND_FOLDERS)) $(COMMAND_LAYERS)
# The command's and the engine's own, not for programs of tests: its start, and what they have of libc.
START = $(patsubst %,$B/%.o,cmd/start cmd/late lib/engine/late)
ALL_LAYERS = $(COMMAND_FOLDERS:%=$B/%.a) $(patsubst %/,$B/%.a,$(filter-out lib/shim/,$(wildcard lib/*/ lib/*/*/)))
UNIT = $(call objects,tests/unit) $(ALL_LAYERS)
# Each target by itself, with libFuzzer or with what replays its corpus.
FUZZ_TARGETS = $(basename $(notdir $(filter-out %/fuzz.c %/replay.c,$(wildcard tests/fuzz/*.c))))
FUZZ = $(patsubst %,$B/tests/%.o,fuzz/fuzz unit/machines) $(if $(FUZZER),,$B/tests/fuzz/replay.o) $(ALL_LAYERS)
BENCH_PLAN = $B/bench/plan.o $(patsubst %,$B/lib/%.a,cut slots base)
SCREENS = $B/tests/programs/screens.o $(COMMAND_FOLDERS:%=$B/%.a) $(COMMAND_LAYERS)
SETTINGS = $B/tests/programs/settings.o $(patsubst %,$B/lib/%.a,settings cut base)

PARTS = libsplitpin-engine.so libsplitpin-hardware.so libsplitpin-numa.so
LIBRARIES = libsplitpin.so $(PARTS)

## all: the four libraries and the command, in build/; make alone does the same
all: $(LIBRARIES:%=$B/%) $B/splitpin

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
$B/unit-tests: $(UNIT)
$(FUZZ_TARGETS:%=$B/fuzz-%): $B/fuzz-%: $B/tests/fuzz/%.o $(FUZZ)
$(FUZZ_TARGETS:%=$B/fuzz-%): LIBS = $(HWLOC_LIBS) $(NUMA_LIBS) -lm $(FUZZER) $(LIBC_PARTS)
CALLS = clock_nanosleep fallocate fcntl fchmod flock fstat link lstat open opendir pread pwrite read unlink write
# Calls that go through tests/unit: pinned.c hides what others run here, memory.c lets allocations fail, descriptors.c looks at what is opened, calls.c lets $(CALLS) fail, made.c invents objects.
$B/unit-tests: LIBS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=close,--wrap=dup,--wrap=tcase_create,--wrap=dl_iterate_phdr,--wrap=sp_pinned_by_others $(CALLS:%=-Wl,--wrap=%) $(CHECK_LIBS) $(HWLOC_LIBS) $(NUMA_LIBS) -lm $(LIBC_PARTS)
$B/bench-plan: $(BENCH_PLAN)
$B/settings: $(SETTINGS)
$B/screens: $(SCREENS)
$B/screens: LIBS = $(HWLOC_LIBS) -lm $(LIBC_PARTS)

$(LIBRARIES:%=$B/%):
	$(CC) $(CFLAGS) $(LDFLAGS) $(LINK) -Wl,-z,defs -Wl,-soname,$(@F) -o $@ \
		$(filter %.o,$^) $(call archives,$^) $(LIBS)
$B/splitpin $B/unit-tests $B/bench-plan $B/settings $B/screens $(FUZZ_TARGETS:%=$B/fuzz-%):
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(call archives,$^) $(LIBS)

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
$B/ompt/%.o: SP_CFLAGS += $(OMPT_CFLAGS)
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

## deps: what building and testing needs (Debian, Ubuntu; elsewhere it says what to install); for one goal: make deps GOAL
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

# What starts no job, and what does.
CHECKS_ALONE = lint check-unit check-sanitized check-fuzz check-man check-packages
CHECKS_OF_JOBS = check-systems-short check-plan check-completion check-screens check-site check-show check-compare check-guest check-incidents check-counts check-guard check-storm \
	check-board check-demo check-faults-short check-typed check-gpus check-teams check-threads check-tools check-install check-modules check-recipes check-spank check-wheel check-matrix \
	check-without check-stacks check-nodes-short check-bignode-short check-shapes-short
## check: all tests that must pass: half an hour on two CPUs
check: built
	+build-aux/check.sh $B "$(CHECKS_ALONE)" "$(CHECKS_OF_JOBS)"

# What the suites would build one by one.
built:
	$(BUILD_IN) all $B/unit-tests $B/settings $B/screens

## check-package: what packages run where they are built: no network, no root, one CPU will do
check-package: check-unit check-man check-plan check-completion

## check-offline: all that needs neither network nor root; what is not installed is skipped
check-offline: check-package check-screens check-install check-gpus check-teams check-show check-site check-guest check-incidents check-counts \
	check-guard check-storm check-board check-threads check-tools check-modules check-matrix

## check-unit: the unit tests: half a minute
check-unit: $B/unit-tests
	$B/unit-tests

## check-sanitized: the unit tests with the compiler's checkers, in a build of their own
check-sanitized:
	$(BUILD_IN) B=$B/sanitized CFLAGS="-O1 -g $(SANITIZE)" $B/sanitized/unit-tests
	tests/sanitized.sh $B/sanitized

## check-fuzz: what fuzzing has found and what it begins with, once each
check-fuzz:
	$(BUILD_IN) B=$B/sanitized CFLAGS="-O1 -g $(SANITIZE)" $(FUZZ_TARGETS:%=$B/sanitized/fuzz-%)
	tests/fuzz.sh replay $B/sanitized

# Targets whose inputs are choices, not text: with what their bytes are compared tells the fuzzer nothing, and tracing that
# takes most of the time.  So these are built without.
FUZZ_CHOICES = $(filter board cut slots topology,$(or $(TARGETS),$(FUZZ_TARGETS)))
FUZZ_TEXTS = $(filter-out $(FUZZ_CHOICES),$(filter $(FUZZ_TARGETS),$(or $(TARGETS),$(FUZZ_TARGETS))))
FUZZ_BUILD = $(BUILD_IN) CC=clang FUZZER=-fsanitize=fuzzer
FUZZ_CFLAGS = -O2 -g -fsanitize=fuzzer-no-link $(FUZZ_COVERAGE) $(SANITIZE)

## fuzz: looks for inputs that break what reads them, SECONDS=60 for each target, of TARGETS=... alone
# By clang's libFuzzer.
SECONDS = 60
fuzz:
	mkdir -p $B/fuzz
	$(if $(FUZZ_TEXTS),$(FUZZ_BUILD) B=$B/fuzz CFLAGS="$(FUZZ_CFLAGS)" $(FUZZ_TEXTS:%=$B/fuzz/fuzz-%))
	$(if $(FUZZ_CHOICES),$(FUZZ_BUILD) B=$B/fuzz/choices CFLAGS="$(FUZZ_CFLAGS) -fno-sanitize-coverage=trace-cmp" $(FUZZ_CHOICES:%=$B/fuzz/choices/fuzz-%))
	$(if $(FUZZ_CHOICES),ln -sf $(FUZZ_CHOICES:%=choices/fuzz-%) $B/fuzz/)
	tests/fuzz.sh run $B/fuzz $(SECONDS) $(TARGETS)

## check-man: the man pages name every setting and every message
check-man: $B/settings check-man-messages
	tests/man-settings.sh $B

check-man-messages:
	tests/man-messages.sh $B

## check-screens: what commands print in 80 columns is as in tests/data/screens
check-screens: all $B/screens
	tests/screens.sh $B
## screens: renews tests/data/screens after a deliberate change
screens: all $B/screens
	RENEW=1 tests/screens.sh $B

## check-systems-short: other systems and containers: a few seconds
check-systems-short: all
	tests/systems.sh short $B
## check-systems: the same in trees of other releases, as root: a quarter of an hour
check-systems: all
	tests/systems.sh long $B

## check-plan: splitpin plan
check-plan: all
	tests/plan.sh

## check-completion: completion in bash, zsh and fish
check-completion: all
	tests/completion.sh $B

# $(call variant,FOLDER,OBJECTS): begins a build in $B/FOLDER that differs from $B in these objects alone.
# Files between sources and what is linked are made anew only where that is missing, too.
variant = mkdir -p $B/$1 && rm -rf $(addprefix $B/$1/,lib ompt cmd splitpin $(LIBRARIES)) && cp -a $(addprefix $B/,lib ompt cmd) $B/$1 && \
	rm -f $(foreach object,$2,$B/$1/$(object) $B/$1/$(patsubst %/,%,$(dir $(object))).a)

## check-site: a build with a site's file of its own, whose path is fixed in it
check-site: all
	$(call variant,site,lib/settings/site_file.o)
	$(BUILD_IN) B=$B/site SYSCONFDIR=$(abspath $B)/site/etc all
	tests/site.sh $B/site

## check-guest: processes that are not ranks, and ranks in trouble
check-guest: all
	tests/guest.sh $B

## check-incidents: what has broken other preloaded libraries, and what a site's care does to a job
check-incidents: all
	tests/incidents.sh $B

## check-counts: what a program counts: half a minute
check-counts: all
	tests/counts.sh $B

## check-guard: masks that others change behind splitpin's back
check-guard: all
	tests/guard.sh $B

## check-storm: threads and children of every kind, at random: half a minute
check-storm: all
	tests/storm.sh $B

## check-kills: jobs of which ranks are killed or stopped, KILLED_JOBS of them: a quarter of an hour
KILLED_JOBS = 10000
check-kills: all
	tests/kills.sh $B $(KILLED_JOBS)

## check-mutants: whether the unit tests notice when one operator of lib/ changes, CHANGES times: half an hour
CHANGES = 200
check-mutants:
	tests/mutate.py $B $(CHANGES) $(SEED)

## check-foreign: the test suites of others, fetched once, without and with it: 40 minutes; check-foreign-mpich is one of them
FOREIGN = libgomp libomp cpython mpi4py mpich
check-foreign: all
	tests/foreign.sh $B
$(FOREIGN:%=check-foreign-%): check-foreign-%: all
	tests/foreign.sh $B $B/libsplitpin.so $*

## check-gpus: ranks beside their GPUs, on a recorded machine
check-gpus: all
	tests/gpus.sh $B

## check-torch: PyTorch's torchrun, if one is there: two minutes
check-torch: all
	tests/torch.sh $B

## check-faults-short: system calls and allocations fail, in a job of four ranks: a sample
check-faults-short: all
	tests/faults.sh short $B
## check-faults: each system call and allocation of settling, pinning and leaving fails: 20 minutes
check-faults: all
	tests/faults.sh long $B

## check-board: what the ranks of a node have in /dev/shm
check-board: all
	tests/board.sh

## check-demo: the demonstration where others use the CPUs
check-demo: all
	tests/demo.sh $B

## check-typed: jobs as users type them
check-typed: all
	tests/typed.sh $B

## check-show: splitpin show and splitpin check
check-show: all
	tests/show.sh $B

## check-compare: splitpin compare
check-compare: all
	tests/compare.sh $B

## check-teams: teams of several roots, of two runtimes, nested
check-teams: all
	tests/teams.sh $B

## check-threads: threads that are made and ended in unusual ways
check-threads: all
	tests/threads.sh $B

## check-tools: beside other tools of OMPT
check-tools: all
	tests/tools.sh $B

## check-matrix: every launcher with every OpenMP runtime and language, in real jobs
check-matrix: all
	tests/matrix.sh

## check-stacks: every other MPI library and launcher; check-slurm is one of them: a quarter of an hour
STACKS = openmpi mpich openmpi5 mpich5 intel prterun mpi4py slurm slurm-nodes
check-stacks: all
	tests/stacks.sh $B
$(STACKS:%=check-%): check-%: all
	tests/stacks.sh $B $B/libsplitpin.so $*

## check-bignode-short: large machines in an emulator: two and a half minutes
check-bignode-short: all
	tests/bignode.sh short $B
## check-bignode: all scenes there: half an hour
check-bignode: all
	tests/bignode.sh long $B

## check-shapes-short: jobs beside each other and of unequal ranks, there: two minutes
check-shapes-short: all
	tests/shapes.sh short $B
## check-shapes: all of these: 20 minutes
check-shapes: all
	tests/shapes.sh long $B

## check-nodes-short: two nodes in name spaces of this machine, as root: a minute and a half
check-nodes-short: all
	tests/nodes.sh short $B
## check-nodes: the same by all launchers: five minutes
check-nodes: all
	tests/nodes.sh long $B

## check-install: what make install and make uninstall do
check-install: all
	tests/install.sh $B
## check-modules: the modulefiles, under Lmod and Environment Modules
check-modules: all
	tests/modules.sh $B
## check-recipes: what docs/sites.md tells administrators to write
check-recipes: all
	tests/recipes.sh $B
## check-spank: the plugin for Slurm, on two nodes, as root
check-spank: all
	tests/spank.sh $B
## check-packages: the packages of make deb rpm, and the recipe for Spack where it is; as root; fetches a Debian once
check-packages: all
	tests/packages.sh $B
## check-wheel: the wheel, in an environment of its own: a minute
check-wheel:
	tests/wheel.sh $B
## check-autopkgtest: the Debian package in a clean Debian; root and a network: minutes
check-autopkgtest:
	tests/autopkgtest.sh $B
## check-preload-tree: a whole Debian with the library in /etc/ld.so.preload; as root; fetches it once
check-preload-tree: all
	tests/preload-tree.sh $B

# Other releases of Debian, fetched once: make deps GOALS there, as root.
## check-debian13: make deps check in that release, as root: an hour; GOALS="check-guard" for another goal
check-debian13: GOALS = check
check-debian13:
	tests/debian.sh trixie $B $(GOALS)
## check-debian11: make deps all check-unit in that one: minutes
check-debian11: GOALS = all check-unit
check-debian11:
	tests/debian.sh bullseye $B $(GOALS)
## check-sid: the newest runtimes, in Debian's unstable: three quarters of an hour
check-sid: GOALS = all check-unit check-guard check-teams check-matrix check-tools
check-sid:
	tests/debian.sh sid $B $(GOALS)

## check-aarch64: built for another processor, and run in an emulator of processes; check-ppc64le, check-s390x: 3 minutes
CPUS = aarch64 ppc64le s390x
$(CPUS:%=check-%): check-%:
	tests/cross.sh $* $B

## check-without: a build without the headers that it can do without
check-without: all
	$(call variant,without,$(patsubst %.c,%.o,$(wildcard ompt/*.c)) lib/launcher/pmix.o)
	$(BUILD_IN) B=$B/without OMPT_CFLAGS=-DSP_NO_OMPT PMIX_CFLAGS=-DSP_NO_PMIX all
	tests/without.sh $B $B/without/libsplitpin.so

RECIPE_OF_SPACK = packaging/spack/spack_repo/splitpin/packages/splitpin/package.py
# With CI the build itself has warnings as errors.  Those of clang do not depend on -O2.
LINT_GCC = $(if $(CI),$B,$B/lint-gcc)
## lint: layers, circles, paths in documents, scripts, man pages, compilers' warnings as errors
lint:
	build-aux/layers.sh
	tests/layers.sh $B
	tests/doc-paths.sh $B
	tests/tap.sh $B
	tests/help.sh $B
	build-aux/doc-paths.sh *.md docs/*.md
	shellcheck build-aux/*.sh build-aux/header-flags bench/*.sh docs/*.sh tests/*.sh tests/*/*.sh packaging/debian/tests/two-ranks completions/*.bash $(wildcard .ci/run)
	mandoc -T lint -W warning man/*.1 man/*.5 man/*.7
	! grep -L -x "\.Os splitpin $(VERSION)" man/*.[157] | grep .
	! grep -L 'version.*[^0-9.]$(VERSION)[^0-9.]' packaging/conda/* packaging/easybuild/* $(RECIPE_OF_SPACK) | grep .
	$(BUILD_IN) B=$(LINT_GCC) CC=gcc CI=1 all $(LINT_GCC)/unit-tests
	build-aux/circles.sh $(LINT_GCC) lib cmd
	$(BUILD_IN) B=$B/lint-clang CC=clang CI=1 CFLAGS=-O0 all $B/lint-clang/unit-tests
	build-aux/analyse.sh $B

# Every system looks in these by itself.
ON_PATHS = $(filter /usr /usr/local,$(PREFIX))
FILL = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@BINDIR@|$(BINDIR)|' \
	-e 's|@MANDIR@|$(MANDIR)|' -e 's|@VERSION@|$(VERSION)|'
FILL_MODULE = $(FILL) $(if $(ON_PATHS),-e '/its manual and its file/Q')

# What tests and measurements have shown: for those who have the sources.
EVIDENCE = docs/cost.md docs/cut.md docs/stacks.md docs/systems.md docs/trust.md

## install: PREFIX=/usr/local DESTDIR=
install: all
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PARTSDIR) $(DESTDIR)$(DOCDIR)/docs \
		$(DESTDIR)$(COMPDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR) $(DESTDIR)$(MODULEDIR)/splitpin
	install -m 755 $B/splitpin $(DESTDIR)$(BINDIR)
	install -m 644 completions/splitpin.bash $(DESTDIR)$(COMPDIR)/splitpin
	install -m 644 completions/_splitpin $(DESTDIR)$(ZSHDIR)
	install -m 644 completions/splitpin.fish $(DESTDIR)$(FISHDIR)
	install -m 755 $B/libsplitpin.so $(DESTDIR)$(LIBDIR)
	install -m 755 $(PARTS:%=$B/%) $(DESTDIR)$(PARTSDIR)
	for page in man/*.[157]; do \
		install -D -m 644 $$page $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/} || exit; done
	install -m 644 README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md LICENSE $(DESTDIR)$(DOCDIR)
	install -m 644 $(filter-out $(EVIDENCE),$(wildcard docs/*.md docs/*.svg docs/*.example)) $(DESTDIR)$(DOCDIR)/docs
	$(FILL) build-aux/splitpin.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/splitpin.pc
	$(FILL_MODULE) modulefiles/splitpin.lua.in >$(DESTDIR)$(MODULEDIR)/splitpin/$(VERSION).lua
	$(FILL_MODULE) modulefiles/splitpin.tcl.in >$(DESTDIR)$(MODULEDIR)/splitpin/$(VERSION)
	chmod 644 $(DESTDIR)$(LIBDIR)/pkgconfig/splitpin.pc $(DESTDIR)$(MODULEDIR)/splitpin/$(VERSION)*

# Folders that are splitpin's alone go too; MODULEDIR may be everybody's.
## uninstall: with the same PREFIX and DESTDIR
uninstall:
	rm -f $(DESTDIR)$(LIBDIR)/libsplitpin.so $(PARTS:%=$(DESTDIR)$(PARTSDIR)/%) $(DESTDIR)$(LIBDIR)/pkgconfig/splitpin.pc \
		$(foreach page,$(notdir $(wildcard man/*.[157])),$(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(page)) \
		$(DESTDIR)$(BINDIR)/splitpin $(DESTDIR)$(COMPDIR)/splitpin \
		$(DESTDIR)$(ZSHDIR)/_splitpin $(DESTDIR)$(FISHDIR)/splitpin.fish \
		$(DESTDIR)$(MODULEDIR)/splitpin/$(VERSION) $(DESTDIR)$(MODULEDIR)/splitpin/$(VERSION).lua
	rmdir $(DESTDIR)$(PARTSDIR) $(DESTDIR)$(MODULEDIR)/splitpin $(DESTDIR)$(PREFIX)/share/splitpin/modulefiles \
		$(DESTDIR)$(PREFIX)/share/splitpin 2>/dev/null || true
	rm -rf $(DESTDIR)$(DOCDIR)

# Built from a copy of the sources, with the distribution's own compiler flags
# and folders.
## deb: a package for Debian, in build/
## rpm: one for systems with rpm
## dist: the sources as one file, for other systems of packages
deb rpm dist:
	build-aux/build-package.sh $@ $B $(VERSION)

## spank: a plugin for the Slurm whose headers are here, SPANK_CFLAGS=-I/opt/slurm/include; of no use to another release
spank: $B/spank-splitpin.so
$B/spank-splitpin.so: packaging/slurm/spank-splitpin.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE -DSP_LIBDIR='"$(LIBDIR)"' $(WARN) $(SPANK_CFLAGS) $(CFLAGS) $(LDFLAGS) -fPIC -shared -o $@ $<

## wheel: one file for pip, with hwloc and libnuma in it; WHEEL_CPU=aarch64 by the cross compiler
wheel:
	+@MAKE='$(BUILD_IN)' build-aux/build-wheel.sh $B $(VERSION) $(WHEEL_CPU)

## clean: all but what make deps has fetched
clean:
	find $B -mindepth 1 -maxdepth 1 ! -name deps -exec rm -rf {} + 2>/dev/null || true

## help: this list
help:
	@awk 'sub(/^## /, "") { goal = $$1; sub(/:$$/, "", goal); sub(/^[^ ]* /, ""); printf "%-20s %s\n", goal, $$0 }' $(firstword $(MAKEFILE_LIST))

.PHONY: help all deps demo bench check check-systems check-systems-short check-unit check-sanitized check-fuzz fuzz check-man check-man-messages check-plan check-completion check-site check-guest check-incidents check-counts check-guard check-storm check-foreign $(FOREIGN:%=check-foreign-%) \
	check-board check-faults check-faults-short check-typed check-gpus check-show check-compare check-tools check-matrix check-stacks $(STACKS:%=check-%) check-bignode check-bignode-short \
	check-install check-modules check-recipes check-packages check-preload-tree check-debian11 check-debian13 check-sid $(CPUS:%=check-%) check-without lint install uninstall deb rpm wheel check-wheel spank check-spank clean
.PHONY: built check-demo check-screens screens check-torch check-teams check-threads
.PHONY: check-shapes check-shapes-short
.PHONY: check-nodes check-nodes-short
.PHONY: check-kills check-mutants dist check-package check-autopkgtest check-offline
# Suites one after another, with make -j too; what they build is built by a make of its own.  (make before 4.4 knows
# this only for all that it is called for.)
ifneq ($(or $(filter check check-offline,$(MAKECMDGOALS)),$(word 2,$(filter check-%,$(MAKECMDGOALS)))),)
.NOTPARALLEL:
endif

-include $(wildcard $B/*/*.d $B/*/*/*.d $B/*/*/*/*.d)
