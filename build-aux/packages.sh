# shellcheck shell=bash
# Installing packages of Debian or Ubuntu; sourced by deps.sh and its kin.

say() { printf 'deps: %s\n' "$*"; }

has_packages() { command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; }

missing() {
	local package
	for package; do
		dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q ' installed$' || printf '%s\n' "$package"
	done
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

apt_get() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
		-o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@"
}

known() { LC_ALL=C apt-cache policy "$1" | grep -q 'Candidate: [^(]'; }

# In apt-get's own words: how many packages in all, how much to fetch, how large.
announce() {
	LC_ALL=C apt-get install --print-uris --no-install-recommends "$@" 2>/dev/null |
		sed -n '/newly installed\|^Need to get\|disk space/p' | paste -s -d ' ' | sed 's/^/deps: apt-get: /'
}

# The lists of packages may be absent (a fresh container) or too old to
# install from; they are fetched again in these cases alone.
install_packages() {
	local package fetch=
	for package; do
		known "$package" || fetch=1
	done
	if [ -z "$fetch" ]; then
		announce "$@"
		apt_get install --no-install-recommends "$@" && return 0
	fi
	apt_get update
	announce "$@"
	apt_get install --no-install-recommends "$@" && return 0
	say "not all at once: trying one by one"
	for package; do
		apt_get install --no-install-recommends "$package" || say "cannot install $package"
	done
}

# Install those that are missing.
packages() {
	local wanted
	wanted=$(missing "$@")
	[ -n "$wanted" ] || return 0
	# shellcheck disable=SC2086 # a list of words
	set -- $wanted
	say "missing: $*"
	if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
		say "as root: apt-get install $*"
		return 0
	fi
	install_packages "$@"
}
