# shellcheck shell=bash
# Completion of the command splitpin for bash.

# The settings as splitpin itself lists them.
_splitpin_settings() {
	splitpin help settings 2>/dev/null | sed -n 's/^  SPLITPIN_\([A-Z_]*\)$/\1/p'
}

# As options of a command.
_splitpin_setting_options() {
	_splitpin_settings | tr '[:upper:]_' '[:lower:]-' | sed 's/^/--/'
}

# Options of settings that need no value.
_splitpin_switch() {
	[[ $1 == --@(debug|report|dryrun) ]]
}

# Values of a setting that are words.  Long lines of the help are wrapped.
_splitpin_values() {
	local name=${1^^}
	splitpin help settings 2>/dev/null | awk -v RS= -v name="SPLITPIN_${name//-/_}" '$1 == name { gsub(/\n? +/, " "); print }' |
		sed 's/.* takes //; s/; default:.*//; s/, each .*//; s/, or [a-z]* \(CPU list\|machine\).*//; s/,/ /g; s/ or / /g; s/\<[0-9a-z]* and up.*//; s/^a .*//; s/^seconds .*//; s/^file .*//'
}

_splitpin_complete() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2"); }

_splitpin_plan_options() {
	_splitpin_complete "-n -t --ranks --threads --topology --allowed --gpus --beside --set --format --picture --advise --nodes --for --all --color --help $(_splitpin_setting_options)" "$1"
}

_splitpin_plan() {
	local current=$1 previous=$2
	case $previous in
	--topology)
		mapfile -t COMPREPLY < <(compgen -f -X '!*.xml' -- "$current"; compgen -d -- "$current")
		compopt -o filenames ;;
	--format) _splitpin_complete "text json masks lists xml" "$current" ;;
	--color) _splitpin_complete "auto always never" "$current" ;;
	--for) _splitpin_complete "slurm openmpi openmpi4 openmpi5 mpich intel pals torchrun openmp mpirun mpiexec srun" "$current" ;;
	--picture)
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		compopt -o filenames ;;
	--set)
		_splitpin_complete "$(_splitpin_settings | tr '[:upper:]' '[:lower:]' | sed 's/$/=/')" "$current"
		compopt -o nospace ;;
	-n | --ranks | -t | --threads | --allowed | --gpus | --beside | --nodes) ;;
	--?*)
		local values
		values=$(_splitpin_values "${previous#--}")
		if [ -n "$values" ]; then
			_splitpin_complete "$values" "$current"
		else
			_splitpin_plan_options "$current"
		fi ;;
	*) _splitpin_plan_options "$current" ;;
	esac
}

# The index of the first word of run's command, or nothing.
_splitpin_command() {
	local i
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) echo $((i + 1)); return ;;
		--alone | --check | --help | --*=*) ;;
		--*) ! _splitpin_switch "${COMP_WORDS[i]}" || [[ ${COMP_WORDS[i + 1]-} == @(0|1|memory) ]] && ((i++)) ;;
		*) echo "$i"; return ;;
		esac
	done
}

_splitpin_run() {
	local current=$1 previous=$2 command
	command=$(_splitpin_command)
	if [ -n "$command" ] && declare -F _command_offset >/dev/null; then
		_command_offset "$command"
	elif [ -n "$command" ]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$current"; compgen -f -- "$current")
	elif [[ $previous == --set ]]; then
		_splitpin_plan "$current" "$previous"
	elif [[ $previous == --?* && $previous != --alone && $previous != --check && $current != -* ]] && ! _splitpin_switch "$previous"; then
		_splitpin_complete "$(_splitpin_values "${previous#--}")" "$current"
	elif [[ $current == -* ]]; then
		_splitpin_complete "--alone --check --set --help $(_splitpin_setting_options)" "$current"
	else
		mapfile -t COMPREPLY < <(compgen -c -- "$current")
	fi
}

_splitpin_program() {
	if [[ $1 == */* ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$1")
		compopt -o filenames
	else
		mapfile -t COMPREPLY < <(compgen -c -- "$1")
	fi
}

_splitpin_config() {
	local current=$1 previous=$2
	case $previous in
	--file)
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		compopt -o filenames ;;
	--for) _splitpin_program "$current" ;;
	--format) _splitpin_complete "text json" "$current" ;;
	*) _splitpin_complete "--file --for --all --format --help" "$current" ;;
	esac
}

_splitpin_show() {
	local current=$1 previous=$2
	if [ "$previous" = --format ]; then
		_splitpin_complete "text table json" "$current"
	elif [ "$previous" = --color ]; then
		_splitpin_complete "auto always never" "$current"
	else
		_splitpin_complete "--all --format --picture --color --help" "$current"
	fi
}

_splitpin_check() {
	local current=$1 previous=$2 command=2
	while [[ ${COMP_WORDS[command]} == --@(format|no-start) ]] && ((command + 1 < COMP_CWORD)); do
		((command += 1))
		[ "${COMP_WORDS[command - 1]}" != --format ] || ((command += 1))
	done
	[ "${COMP_WORDS[command]}" = -- ] && ((command < COMP_CWORD)) && ((command++))
	if [ "$previous" = --format ]; then
		_splitpin_complete "text json" "$current"
	elif ((command < COMP_CWORD)) && declare -F _command_offset >/dev/null; then
		_command_offset "$command"
	elif [[ $current == -* ]]; then
		_splitpin_complete "--no-start --format --help" "$current"
	else
		_splitpin_program "$current"
	fi
}

_splitpin_compare() {
	local current=$1 previous=$2
	case $previous in
	--format) _splitpin_complete "text json" "$current" ;;
	--output)
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		compopt -o filenames ;;
	--rounds) ;;
	*)
		if [[ $current == -* && -z $(_splitpin_command) ]]; then
			_splitpin_complete "--rounds --format --output --alone --set --help $(_splitpin_setting_options)" "$current"
		else
			_splitpin_run "$current" "$previous"
		fi ;;
	esac
}

_splitpin() {
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		_splitpin_complete "plan run config show check probe compare help --help --version" "$current"
	elif [ "${COMP_WORDS[1]}" = help ]; then
		[ "$COMP_CWORD" != 2 ] || _splitpin_complete "plan run config show check probe compare" "$current"
	elif [ "${COMP_WORDS[1]}" = plan ]; then
		_splitpin_plan "$current" "$previous"
	elif [ "${COMP_WORDS[1]}" = run ]; then
		_splitpin_run "$current" "$previous"
	elif [ "${COMP_WORDS[1]}" = config ]; then
		_splitpin_config "$current" "$previous"
	elif [ "${COMP_WORDS[1]}" = show ]; then
		_splitpin_show "$current" "$previous"
	elif [ "${COMP_WORDS[1]}" = check ]; then
		_splitpin_check "$current" "$previous"
	elif [ "${COMP_WORDS[1]}" = probe ]; then
		_splitpin_complete --help "$current"
	elif [ "${COMP_WORDS[1]}" = compare ]; then
		_splitpin_compare "$current" "$previous"
	fi
}

complete -F _splitpin splitpin
