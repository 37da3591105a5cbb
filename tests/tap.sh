#!/bin/bash
# What the tests print: prove reads it, people and CI read its last line.
#
#   tests/tap.sh [BUILD]
set -u
# shellcheck source=tests/lib.sh
. tests/lib.sh

# A suite of every outcome, two of which come from other processes.
suite=$work/suite.sh
cat > "$suite" <<'END'
. tests/lib.sh
pass "one"
fail "two # three" "a fault
and another"
skip "four" "no reason"
relay "far " < <(pass "five"; fail "six" "a fault"; skip "seven" "none"; echo "ok or not")
closing
END

bash "$suite" "$work" > "$work/out" 2> "$work/err"
verdict "what a suite prints" "$(
	expect "exit status" $? 1
	cat "$work/err"
	diff "$work/out" - <<-END
	ok 1 - one
	not ok 2 - two \# three
	#   a fault
	#   and another
	#   to see it again: $suite $work
	ok 3 - four # SKIP no reason
	ok 4 - far five
	not ok 5 - far six
	#   a fault
	#   to see it again: $suite $work
	ok 6 - far seven # SKIP none
	# ok or not
	1..6
	suite: 2 passed, 2 failed, 2 skipped
	END
)"

# What make check makes of suites: good and bad ones, one without counts, and one that ends before its counts.
cat > "$work/make" <<END
#!/bin/bash
case \$2 in
check-good) echo "ok 1 - a"; echo "1..1"; echo "good: 1 passed, 0 failed, 0 skipped" ;;
check-bad) exec bash "$suite" "$work" ;;
check-ends) echo "ok 1 - a"; echo "it ends"; exit 3 ;;
esac
END
chmod +x "$work/make"
# checked STATUS SUITES JOBS: with the lines on standard input, times and order aside.
checked() {
	MAKE=$work/make build-aux/check.sh "$work" "$2" "$3" > "$work/out" 2>&1 < /dev/null
	expect "exit status" $? "$1"
	diff <(sed "s|$work|WORK|g; s/ *[0-9]* s\b//" "$work/out" | grep -v '^build$' | sort) <(sort)
}
verdict "what make check says of good suites" "$(checked 0 lint good <<-END
	good  1 passed
	lint  1 passed
	2 passed, 0 failed, 0 skipped
	END
)"
verdict "what make check says of bad suites" "$(checked 1 "bad ends" good <<-END
	bad  2 passed, 2 skipped, 2 FAILED: see WORK/check/bad
	    not ok 2 - two \# three
	    #   a fault
	    #   and another
	    #   to see it again: WORK/suite.sh WORK
	    not ok 5 - far six
	    #   a fault
	    #   to see it again: WORK/suite.sh WORK
	ends  0 passed, 1 FAILED: see WORK/check/ends
	    ok 1 - a
	    it ends
	good  1 passed
	skipped in bad: 1 x no reason
	skipped in bad: 1 x none
	3 passed, 3 failed, 2 skipped
	END
)"

# What the caller's shell has set changes no outcome.
echo '. tests/lib.sh; compgen -e' > "$work/environment.sh"
verdict "a suite's environment" "$(
	COLUMNS=20 HWLOC_XMLFILE=/none CUDA_VISIBLE_DEVICES=0 LOADEDMODULES=a OMP_NUM_THREADS=3 SPLITPIN_SMT=1 \
		bash "$work/environment.sh" "$work" | grep -x 'COLUMNS\|HWLOC_.*\|CUDA_.*\|LOADEDMODULES\|OMP_.*\|SPLITPIN_SMT'
)"

if ! command -v prove > /dev/null; then
	skip "prove reads it" "no prove, run make deps"
else
	prove -e bash "$suite" :: "$work" > "$work/out" 2>&1
	verdict "prove reads it" "$(
		expect "exit status" $? 1
		grep -q 'Failed tests: *2, 5$' "$work/out" || echo "prove does not tell of 2 and 5: see $work/out"
		grep 'Parse errors\|No plan' "$work/out"
	)"
fi
closing
