# What is tested.  Included by the Makefile; CONTRIBUTING.md says which goal belongs to which code.

# tests/NAME.sh is "make check-NAME".  The first line has what scripts share, the second what takes more than a build folder.
NOT_SUITES = lib compared own-node own-processes own-shm tree bignode-groups \
	unit man-settings man-messages man-json man-options fuzz cross debian site without kills
# These have a short form, check-NAME-short, which check or check-all runs.
WITH_SHORT = bignode faults matrix nodes shapes systems
SUITES = $(filter-out $(NOT_SUITES) $(WITH_SHORT),$(patsubst tests/%.sh,%,$(wildcard tests/*.sh)))

# What starts no job here, or only in an emulator, is tested beside what does.  The sanitized unit tests are the unit tests of check-all.
CHECK_ALONE = unit man plan screens completion
FIRST_JOBS = typed matrix guest show check compare
CHECK_JOBS = $(patsubst matrix,matrix-short,$(FIRST_JOBS))
ALL_ALONE = sanitized $(filter-out unit,$(CHECK_ALONE)) lint site fuzz packages bignode-short shapes-short
ALL_JOBS = $(FIRST_JOBS) beside lines survey incidents counts guard started storm board demo faults-short gpus teams threads tools install modules recipes \
	spank wheel without stacks nodes-short systems-short
OFFLINE_JOBS = $(FIRST_JOBS) beside lines survey incidents counts guard started storm board gpus teams threads tools install modules
run_suites = +build-aux/check.sh $B "$1" "$2"

## check: shows that it works here, with real jobs: three minutes
check:
	$(call run_suites,$(CHECK_ALONE),$(CHECK_JOBS))

## check-all: all that must pass, check first: half an hour
check-all:
	$(call run_suites,$(ALL_ALONE),$(ALL_JOBS))

# What takes neither root nor a network.
check-offline:
	$(call run_suites,$(CHECK_ALONE) site,$(OFFLINE_JOBS))

# What packages run where they are built, on one CPU without jobs.
check-package:
	$(call run_suites,unit man plan completion)

# What the suites would build one by one; check.sh begins with it.
built:
	$(BUILD_IN) all $B/unit-tests $B/settings $B/screens

## check-NAME: one suite, tests/NAME.sh, such as check-unit, check-guest
$(SUITES:%=check-%): check-%: all
	tests/$*.sh $B
$(WITH_SHORT:%=check-%): check-%: all
	tests/$*.sh long $B
$(WITH_SHORT:%=check-%-short): check-%-short: all
	tests/$*.sh short $B

check-man: $B/settings $B/splitpin
	tests/man-settings.sh $B
	tests/man-messages.sh $B
	tests/man-json.sh
	tests/man-options.sh $B

check-screens screens: $B/screens

## screens: renews tests/data/screens after a deliberate change
screens: all
	RENEW=1 tests/screens.sh $B

check-unit: $B/unit-tests
	tests/unit.sh $B

check-sanitized:
	$(BUILD_IN) B=$B/sanitized CFLAGS="-O1 -g $(SANITIZE)" $B/sanitized/unit-tests
	tests/unit.sh $B/sanitized

# $(call variant,FOLDER,OBJECTS): begins a build in $B/FOLDER that differs from $B in these objects alone.
# Files between sources and what is linked are made anew only where that is missing, too.
variant = mkdir -p $B/$1 && rm -rf $(addprefix $B/$1/,lib ompt cmd splitpin $(LIBRARIES)) && cp -a $(addprefix $B/,lib ompt cmd) $B/$1 && \
	rm -f $(foreach object,$2,$B/$1/$(object) $B/$1/$(patsubst %/,%,$(dir $(object))).a)

# With a site's file whose path is fixed in it.
check-site: all
	$(call variant,site,lib/settings/site_file.o)
	$(BUILD_IN) B=$B/site SYSCONFDIR=$(abspath $B)/site/etc all
	tests/site.sh $B/site

# Without the header that it can do without.
check-without: all
	$(call variant,without,lib/launcher/pmix.o)
	$(BUILD_IN) B=$B/without PMIX_CFLAGS=-DSP_NO_PMIX all
	tests/without.sh $B $B/without/libsplitpin.so

# Programs of tests.
$B/unit-tests $B/settings $B/screens:
	$(link_program)
$B/settings: $B/tests/programs/settings.o $(patsubst %,$B/lib/%.a,settings cut base)
$B/screens: $B/tests/programs/screens.o $(COMMAND_FOLDERS:%=$B/%.a) $(COMMAND_LAYERS)
$B/screens: LIBS = $(HWLOC_LIBS) -lm $(LIBC_PARTS)
$B/unit-tests: $(call objects,tests/unit) $(ALL_LAYERS)
CALLS = clock_nanosleep fallocate fcntl fchmod flock fstat link lstat open opendir pread pwrite read unlink write
# Calls that go through tests/unit: pinned.c hides what others run here, memory.c lets allocations fail, descriptors.c looks at what is opened, calls.c lets $(CALLS) fail, made.c invents objects.
$B/unit-tests: LIBS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=close,--wrap=dup,--wrap=tcase_create,--wrap=dl_iterate_phdr,--wrap=sp_pinned_by_others $(CALLS:%=-Wl,--wrap=%) $(CHECK_LIBS) $(HWLOC_LIBS) $(NUMA_LIBS) -lm $(LIBC_PARTS)

# One MPI library or launcher of check-stacks, one suite of others.
STACKS = openmpi mpich openmpi5 mpich5 intel prterun mpi4py slurm slurm-nodes
$(STACKS:%=check-%): check-%: all
	tests/stacks.sh $B $B/libsplitpin.so $*
FOREIGN = libgomp libomp cpython mpi4py mpich
$(FOREIGN:%=check-foreign-%): check-foreign-%: all
	tests/foreign.sh $B $B/libsplitpin.so $*

KILLED_JOBS = 10000
check-kills: all
	tests/kills.sh $B $(KILLED_JOBS)

CHANGES = 200
check-mutants:
	tests/mutate.py $B $(CHANGES) $(SEED)

# Other releases of Debian, fetched once: make deps GOALS there, as root.
check-debian12: RELEASE = bookworm
check-debian13: RELEASE = trixie
check-debian11: RELEASE = bullseye
check-sid: RELEASE = sid
check-debian12 check-debian13: GOALS = check-all
check-debian11: GOALS = all check-unit
check-sid: GOALS = all check-unit check-guard check-teams check-matrix check-tools
RELEASES = debian11 debian12 debian13 sid
$(RELEASES:%=check-%): check-%:
	tests/debian.sh $(RELEASE) $B $(GOALS)

# Other processors, in an emulator of processes.
CPUS = aarch64 ppc64le s390x
$(CPUS:%=check-%): check-%:
	tests/cross.sh $* $B

# Each target by itself, with libFuzzer or with what replays its corpus.
FUZZ_TARGETS = $(basename $(notdir $(filter-out %/fuzz.c %/replay.c,$(wildcard tests/fuzz/*.c))))
FUZZ = $(patsubst %,$B/tests/%.o,fuzz/fuzz unit/machines) $(if $(FUZZER),,$B/tests/fuzz/replay.o) $(ALL_LAYERS)
$(FUZZ_TARGETS:%=$B/fuzz-%): $B/fuzz-%: $B/tests/fuzz/%.o $(FUZZ)
	$(link_program)
$(FUZZ_TARGETS:%=$B/fuzz-%): LIBS = $(HWLOC_LIBS) $(NUMA_LIBS) -lm $(FUZZER) $(LIBC_PARTS)

# What fuzzing has found and what it begins with, once each.
check-fuzz:
	$(BUILD_IN) B=$B/sanitized CFLAGS="-O1 -g $(SANITIZE)" $(FUZZ_TARGETS:%=$B/sanitized/fuzz-%)
	tests/fuzz.sh replay $B/sanitized

# Targets whose inputs are choices, not text: with what their bytes are compared tells the fuzzer nothing, and tracing that
# takes most of the time.  So these are built without.
FUZZ_CHOICES = $(filter board cut slots topology,$(or $(TARGETS),$(FUZZ_TARGETS)))
FUZZ_TEXTS = $(filter-out $(FUZZ_CHOICES),$(filter $(FUZZ_TARGETS),$(or $(TARGETS),$(FUZZ_TARGETS))))
FUZZ_BUILD = $(BUILD_IN) CC=clang FUZZER=-fsanitize=fuzzer
FUZZ_CFLAGS = -O2 -g -fsanitize=fuzzer-no-link $(FUZZ_COVERAGE) $(SANITIZE)

## fuzz: looks for inputs that break the readers: SECONDS=60 TARGETS=...
# By clang's libFuzzer, so long for each target.
SECONDS = 60
fuzz:
	mkdir -p $B/fuzz
	$(if $(FUZZ_TEXTS),$(FUZZ_BUILD) B=$B/fuzz CFLAGS="$(FUZZ_CFLAGS)" $(FUZZ_TEXTS:%=$B/fuzz/fuzz-%))
	$(if $(FUZZ_CHOICES),$(FUZZ_BUILD) B=$B/fuzz/choices CFLAGS="$(FUZZ_CFLAGS) -fno-sanitize-coverage=trace-cmp" $(FUZZ_CHOICES:%=$B/fuzz/choices/fuzz-%))
	$(if $(FUZZ_CHOICES),ln -sf $(FUZZ_CHOICES:%=choices/fuzz-%) $B/fuzz/)
	tests/fuzz.sh run $B/fuzz $(SECONDS) $(TARGETS)

RECIPE_OF_SPACK = packaging/spack/spack_repo/splitpin/packages/splitpin/package.py
SCRIPTS = $(wildcard build-aux/*.sh build-aux/pmix-flags bench/*.sh docs/*.sh tests/*.sh tests/*/*.sh packaging/debian/tests/two-ranks completions/*.bash .ci/run)
## lint: layers, scripts, man pages, warnings of gcc, clang and analysers
lint: check-layers check-doc-paths check-tap check-help
	build-aux/layers.sh
	build-aux/doc-paths.sh *.md docs/*.md
	printf '%s\n' $(SCRIPTS) | xargs -P $(JOBS) -n 8 shellcheck -x
	mandoc -T lint -W warning man/*.1 man/*.5 man/*.7
	! grep -L -x "\.Os splitpin $(VERSION)" man/*.[157] | grep .
	! grep -L 'version.*[^0-9.]$(VERSION)[^0-9.]' packaging/conda/* packaging/easybuild/* $(RECIPE_OF_SPACK) | grep .
	$(BUILD_IN) B=$B/lint-clang CC=clang CI=1 CFLAGS=-O0 all $B/lint-clang/unit-tests
	build-aux/analyse.sh $B
	build-aux/circles.sh $B/analysed lib cmd
check-lint: lint

.PHONY: built check check-all check-offline check-package screens fuzz lint check-lint check-man check-unit check-sanitized check-site check-without \
	check-kills check-mutants check-fuzz $(patsubst %,check-%,$(SUITES) $(WITH_SHORT) $(WITH_SHORT:%=%-short) $(STACKS) $(FOREIGN:%=foreign-%) $(RELEASES) $(CPUS))

# Suites one after another, with make -j too; what they build is built by a make of its own.  (make before 4.4 knows
# this only for all that it is called for.)
ifneq ($(or $(filter lint,$(MAKECMDGOALS)),$(word 2,$(filter check-%,$(MAKECMDGOALS)))),)
.NOTPARALLEL:
endif
