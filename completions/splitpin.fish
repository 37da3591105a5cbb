# Completion of the command splitpin for fish.

# The settings as splitpin itself lists them: option, what it does, words that it takes.
function __splitpin_settings
    command splitpin help settings 2>/dev/null | awk -v RS= '
        /^ *SPLITPIN_/ {
            name = tolower(substr($1, 10)); gsub("_", "-", name)
            gsub(/\n? +/, " ")
            help = takes = $0
            sub(/^ [^ ]+ /, "", help); sub(/ takes .*/, "", help)
            sub(/.* takes /, "", takes); sub(/; default:.*/, "", takes); sub(/, each .*/, "", takes)
            sub(/, or [a-z]* (CPU list|machine).*/, "", takes); gsub(/,| or /, " ", takes)
            sub(/[0-9a-z]+ and up.*/, "", takes)
            if (takes ~ /^(a|seconds|file) /) takes = ""
            print name "\t" help "\t" takes
        }'
end

# The words of the command that run, compare or check start, one a line; false: it has not begun.
function __splitpin_command
    set -l words (commandline -opc)
    set -l i 3
    while test $i -le (count $words)
        switch $words[$i]
            case --
                set -e words[1..$i]
                string join \n -- $words
                return 0
            case --alone --check --help '--*=*'
            case --debug --report --dryrun
                string match -qr '^([01]|memory)$' -- $words[(math $i + 1)]; and set i (math $i + 1)
            case '--*'
                set i (math $i + 1)
            case '*'
                string join \n -- $words[$i..]
                return 0
        end
        set i (math $i + 1)
    end
    return 1
end

# Whether the subcommand is one of these, and no command that it starts has begun.
function __splitpin_in
    set -l words (commandline -opc)
    contains -- "$words[2]" $argv; or return 1
    contains -- "$words[2]" run compare check; or return 0
    not __splitpin_command >/dev/null
end

# What may come next of the command that is started.
function __splitpin_complete_command
    set -l command (string escape -- (__splitpin_command))
    set -l token (commandline -ct)
    test -n "$command"; or string match -qv -- '-*' "$token"; or return
    set -l line (string join ' ' -- $command "$token")
    complete --do-complete="$line"
end

function __splitpin_starts
    set -l words (commandline -opc)
    contains -- "$words[2]" run compare check
end

# Whether a setting that is on or off came last: its value may follow.
function __splitpin_after_switch
    set -l words (commandline -opc)
    __splitpin_in plan run compare
    and contains -- "$words[-1]" --debug --report --dryrun
end

complete -c splitpin -f
set -l no_subcommand 'test (count (commandline -opc)) = 1'
complete -c splitpin -n $no_subcommand -a plan -d 'Show which cores each rank would get'
complete -c splitpin -n $no_subcommand -a run -d 'Start a command with splitpin preloaded'
complete -c splitpin -n $no_subcommand -a config -d 'Show the settings in effect and where each comes from'
complete -c splitpin -n $no_subcommand -a show -d 'Show running jobs'
complete -c splitpin -n $no_subcommand -a check -d 'Say whether splitpin is active, and list problems'
complete -c splitpin -n $no_subcommand -a probe -d 'Say it in the place of a program'
complete -c splitpin -n $no_subcommand -a compare -d 'Run a job with and without splitpin'
complete -c splitpin -n $no_subcommand -a help -d 'List the settings'
complete -c splitpin -n $no_subcommand -l version -d 'Show the version'
complete -c splitpin -n $no_subcommand -l help -d 'List the settings'
complete -c splitpin -n '__splitpin_in help' -x -a 'plan run config show check probe compare'
complete -c splitpin -n '__splitpin_in plan run config show check probe compare' -l help -d 'List the options'
complete -c splitpin -n __splitpin_starts -a '(__splitpin_complete_command)'
complete -c splitpin -n __splitpin_after_switch -a '0 1'
complete -c splitpin -n '__splitpin_after_switch; and test (commandline -opc)[-1] = --report' -a memory

complete -c splitpin -n '__splitpin_in plan' -s n -l ranks -x -d 'Ranks on the node'
complete -c splitpin -n '__splitpin_in plan' -s t -l threads -x -d 'OpenMP threads of each rank'
complete -c splitpin -n '__splitpin_in plan' -l topology -x -a '(__fish_complete_suffix .xml)' -d 'Another machine'
complete -c splitpin -n '__splitpin_in plan' -l allowed -x -d 'Only these CPUs of the machine'
complete -c splitpin -n '__splitpin_in plan' -l gpus -x -d 'GPUs of the job'
complete -c splitpin -n '__splitpin_in plan' -l beside -x -d 'Leave cores to another job, such as "-n 2 -t 4"'
complete -c splitpin -n '__splitpin_in plan' -l format -x -a 'text json masks lists xml' -d 'Format of the plan'
complete -c splitpin -n '__splitpin_in plan show' -l picture -r -F -d 'FILE.svg, FILE.png or FILE.pdf'
complete -c splitpin -n '__splitpin_in plan' -l advise -d 'List the numbers of ranks that suit the machine'
complete -c splitpin -n '__splitpin_in plan' -l nodes -x -d 'With --advise: nodes of the job'
complete -c splitpin -n '__splitpin_in plan' -l for -x -d 'Commands of a launcher for the same placement' \
    -a 'slurm openmpi openmpi4 openmpi5 mpich intel pals torchrun openmp mpirun mpiexec srun'
complete -c splitpin -n '__splitpin_in plan' -l all -d 'All ranks in full'
complete -c splitpin -n '__splitpin_in plan show' -l color -x -a 'auto always never' -d 'When to use colours'

complete -c splitpin -n '__splitpin_in config' -l for -x -a '(__fish_complete_command)' -d 'Settings for this program'
complete -c splitpin -n '__splitpin_in config' -l all -d 'Settings with default values, too'
complete -c splitpin -n '__splitpin_in check' -l no-start -d 'Do not start the launcher'
complete -c splitpin -n '__splitpin_in config check' -l format -x -a 'text json' -d Format
complete -c splitpin -n '__splitpin_in show' -l all -d 'The jobs of all users'
complete -c splitpin -n '__splitpin_in show' -l format -x -a 'text table json' -d Format
complete -c splitpin -n '__splitpin_in compare' -l rounds -x -d 'Runs of each kind'
complete -c splitpin -n '__splitpin_in compare' -l format -x -a 'text json' -d Format
complete -c splitpin -n '__splitpin_in compare' -l output -r -F -d 'File for the output of the runs'

complete -c splitpin -n '__splitpin_in plan run compare' -l set -d 'A setting' \
    -x -a '(__splitpin_settings | cut -f 1 | string replace -a - _)='
complete -c splitpin -n '__splitpin_in run compare' -l alone -d 'A command without a launcher'
complete -c splitpin -n '__splitpin_in run' -l check -d 'Only whether splitpin will be active'
for line in (__splitpin_settings)
    set -l setting (string split \t -- $line)
    switch $setting[1]
        case debug report dryrun
            complete -c splitpin -n '__splitpin_in plan run compare' -l $setting[1] -d $setting[2]
        case '*'
            complete -c splitpin -n '__splitpin_in plan run compare' -l $setting[1] -x -a "$setting[3]" -d $setting[2]
    end
end
