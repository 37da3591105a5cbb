# shellcheck shell=bash
# Completion of the command splitpin for bash: the command itself knows its words.

_splitpin() {
	local answer current=${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=()
	while IFS= read -r answer; do
		case $answer in
		'<command> '*)
			answer=${answer#* }
			if declare -F _command_offset > /dev/null && ((answer + 1 < COMP_CWORD)); then
				_command_offset $((answer + 1))
			else
				mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -- "$current"; compgen -f -- "$current")
			fi ;;
		'<program>'*)
			mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -- "$current"; [[ $current != */* ]] || compgen -f -- "$current") ;;
		'<file>'*)
			mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current")
			compopt -o filenames ;;
		*)
			answer=${answer%%$'\t'*}
			COMPREPLY+=("$answer")
			[[ $answer != *= ]] || compopt -o nospace ;;
		esac
	done < <(splitpin complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}

complete -F _splitpin splitpin
