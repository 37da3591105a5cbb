# Completion of the command splitpin for fish: the command itself knows its words.

function __splitpin_complete
    set -l words (commandline -opc) (commandline -ct)
    set -e words[1]
    for answer in (command splitpin complete $words 2>/dev/null)
        switch $answer
            case '<command> *'
                set -l first (math (string replace '<command> ' '' -- $answer) + 1)
                set -l line (string escape -- $words[$first..-2]) (commandline -ct)
                complete --do-complete=(string join ' ' -- $line)
            case '<program>*'
                __fish_complete_command
            case '<file>*'
                __fish_complete_path (commandline -ct)
            case '*'
                echo $answer
        end
    end
end

complete -c splitpin -f -a '(__splitpin_complete)'
