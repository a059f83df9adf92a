# Made by scripts/completions from what --help says: don't edit.
# fish completion of oclcache.

function __oclcache_no_command
    test (count (commandline -opc)) -eq 1
end

function __oclcache_is
    set -l words (commandline -opc)
    test (count $words) -gt 1; and contains -- $words[2] $argv
end

function __oclcache_hashes
    set -l place
    set -l words (commandline -opc)
    if set -l at (contains -i -- --dir $words)
        set place --dir $words[(math $at + 1)]
    else
        set place (string match -- '--dir=*' $words)
    end
    oclcache list --columns hash $place 2>/dev/null |
        string match -r '^[0-9a-f]{4,}'
end

# Several words with commas; none twice.
function __oclcache_list
    set -l before (string match -r '^.*,' -- (commandline -ct |
        string replace -r '^--?[a-z-]+=' ''))
    for word in $argv
        contains -- $word (string split , -- $before); or echo $before$word
    end
end

# The line behind "oclcache NAME" and its options; fails in front of that.
function __oclcache_program
    set -l words (commandline -opc)
    set -e words[1..2]
    while set -q words[1]
        switch $words[1]
            case --
                set -e words[1]
                string escape -- $words
                return 0
            case --dir --options --output --require-hits --stats-json --trace -o
                set -e words[1..2]
            case '-?*'
                set -e words[1]
            case '*'
                string escape -- $words
                return 0
        end
    end
    return 1
end

function __oclcache_complete_program
    set -l words (__oclcache_program)
    complete -C (string join ' ' -- $words (commandline -ct))
end

function __oclcache_no_verb
    test (count (commandline -opc)) -eq 2
end

complete -c oclcache -f
complete -c oclcache -n __oclcache_no_command -a run -d 'run a program with the cache, and show what that saved'
complete -c oclcache -n __oclcache_no_command -a record -d 'run a program and record what it builds, for \'replay\''
complete -c oclcache -n __oclcache_no_command -a stats -d 'show what the cache has done so far'
complete -c oclcache -n __oclcache_no_command -a report -d 'write a page that shows how the cache is doing'
complete -c oclcache -n __oclcache_no_command -a list -d 'list the entries in the store'
complete -c oclcache -n __oclcache_no_command -a inspect -d 'show everything about one entry'
complete -c oclcache -n __oclcache_no_command -a explain -d 'say why builds weren\'t served from the cache'
complete -c oclcache -n __oclcache_no_command -a diff -d 'show the differences between two entries or two stores'
complete -c oclcache -n __oclcache_no_command -a verify -d 'check every byte of the store'
complete -c oclcache -n __oclcache_no_command -a clear -d 'remove entries'
complete -c oclcache -n __oclcache_no_command -a evict -d 'shrink the store by removing the least recently used entries'
complete -c oclcache -n __oclcache_no_command -a export -d 'pack entries into a tar file'
complete -c oclcache -n __oclcache_no_command -a import -d 'import entries from a tar file'
complete -c oclcache -n __oclcache_no_command -a push -d 'send entries to a registry of container images'
complete -c oclcache -n __oclcache_no_command -a pull -d 'import entries from a registry of container images'
complete -c oclcache -n __oclcache_no_command -a replay -d 'compile recorded programs into the store'
complete -c oclcache -n __oclcache_no_command -a prewarm -d 'compile sources into the store'
complete -c oclcache -n __oclcache_no_command -a database -d 'show, merge and compare databases of builds'
complete -c oclcache -n __oclcache_no_command -a upgrade -d 'let hits on NVIDIA\'s driver load without compiling'
complete -c oclcache -n __oclcache_no_command -a key -d 'manage the keys that vouch for entries from other machines'
complete -c oclcache -n __oclcache_no_command -a doctor -d 'check that everything works, and say what to do if not'
complete -c oclcache -n __oclcache_no_command -a config -d 'show the settings and where each one comes from'
complete -c oclcache -n __oclcache_no_command -a enable -d 'switch the layer on for all programs'
complete -c oclcache -n __oclcache_no_command -a disable -d 'undo what \'oclcache enable\' did'
complete -c oclcache -n __oclcache_no_command -a help -d 'show this list, or the help for a command'
complete -c oclcache -n __oclcache_no_command -l help -s h -d 'show the commands'
complete -c oclcache -n __oclcache_no_command -l version -d 'show the version'

complete -c oclcache -n '__oclcache_is run; and not __oclcache_program >/dev/null' -l quiet -s q -d 'print no summary'
complete -c oclcache -n '__oclcache_is run; and not __oclcache_program >/dev/null' -l stats-json -r -F -d 'write statistics to FILE, as JSON; -: standard output'
complete -c oclcache -n '__oclcache_is run; and not __oclcache_program >/dev/null' -l trace -r -F -d 'write a trace to FILE, for \'oclcache explain --trace\''
complete -c oclcache -n '__oclcache_is run; and not __oclcache_program >/dev/null' -l require -d 'compile nothing; builds that are not stored fail'
complete -c oclcache -n '__oclcache_is run; and not __oclcache_program >/dev/null' -l require-hits -x -a '50 90 95 100' -d 'exit with status 3 if fewer of the builds are hits'
complete -c oclcache -n '__oclcache_is run; and not __oclcache_program >/dev/null' -l recache -d 'compile and store everything again'
complete -c oclcache -n '__oclcache_is run; and not __oclcache_program >/dev/null' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is run; and not __oclcache_program >/dev/null' -l help -s h -d 'show this help'
complete -c oclcache -n '__oclcache_is run' -a '(__oclcache_complete_program)'

complete -c oclcache -n '__oclcache_is record; and not __oclcache_program >/dev/null' -l output -s o -r -F -d 'add to FILE (default: PROGRAM.ocldb)'
complete -c oclcache -n '__oclcache_is record; and not __oclcache_program >/dev/null' -l from-store -d 'record what the store\'s entries were built from'
complete -c oclcache -n '__oclcache_is record; and not __oclcache_program >/dev/null' -l quiet -s q -d 'print no summary'
complete -c oclcache -n '__oclcache_is record; and not __oclcache_program >/dev/null' -l stats-json -r -F -d 'write the run\'s statistics to FILE as JSON'
complete -c oclcache -n '__oclcache_is record; and not __oclcache_program >/dev/null' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is record; and not __oclcache_program >/dev/null' -l help -s h -d 'show this help'
complete -c oclcache -n '__oclcache_is record' -a '(__oclcache_complete_program)'

complete -c oclcache -n '__oclcache_is stats' -l json -d 'print JSON; times are in nanoseconds'
complete -c oclcache -n '__oclcache_is stats' -l openmetrics -d 'print OpenMetrics 1.0'
complete -c oclcache -n '__oclcache_is stats' -l prometheus -d 'print what node_exporter\'s textfile collector reads'
complete -c oclcache -n '__oclcache_is stats' -l zero -s z -d 'reset the counters'
complete -c oclcache -n '__oclcache_is stats' -l since -x -a '1h 1d 7d 30d' -d 'count only since WHEN: 7d, 2026-11-01'
complete -c oclcache -n '__oclcache_is stats' -l by -x -a 'program day' -d 'show a table by \'program\' or by \'day\''
complete -c oclcache -n '__oclcache_is stats' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is stats' -l help -s h -d 'show this help'

complete -c oclcache -n '__oclcache_is report' -l output -s o -r -F -d 'write the page to FILE; - is standard output'
complete -c oclcache -n '__oclcache_is report' -l no-stale -d 'don\'t ask drivers which entries are stale'
complete -c oclcache -n '__oclcache_is report' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is report' -l help -s h -d 'show this help'

complete -c oclcache -n '__oclcache_is list' -l json -d 'print everything as JSON'
complete -c oclcache -n '__oclcache_is list' -l sort -x -a 'age size name device driver hits time' -d 'age, size, name, device, driver, hits or time'
complete -c oclcache -n '__oclcache_is list' -l reverse -d 'reverse the order'
complete -c oclcache -n '__oclcache_is list' -l columns -x -a '(__oclcache_list hash age size hits time device driver kernels options)' -d 'of hash, age, size, hits, time, device, driver, kernels, options'
complete -c oclcache -n '__oclcache_is list' -l wide -d 'show whole names, however long the lines get'
complete -c oclcache -n '__oclcache_is list' -l program -x -d 'only with TEXT in kernel names, options or source'
complete -c oclcache -n '__oclcache_is list' -l device -x -d 'only for devices with TEXT in name or vendor'
complete -c oclcache -n '__oclcache_is list' -l driver -x -d 'only with TEXT in platform or driver version'
complete -c oclcache -n '__oclcache_is list' -l older-than -x -a '1h 1d 7d 30d' -d 'only if not used for AGE: 90s, 12h, 30d, 2w'
complete -c oclcache -n '__oclcache_is list' -l newer-than -x -a '1h 1d 7d 30d' -d 'only if used within AGE'
complete -c oclcache -n '__oclcache_is list' -l larger-than -x -a '1M 10M 100M 1G' -d 'only if larger than SIZE: 500k, 2MB, 1GiB'
complete -c oclcache -n '__oclcache_is list' -l smaller-than -x -a '1M 10M 100M 1G' -d 'only if smaller than SIZE'
complete -c oclcache -n '__oclcache_is list' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is list' -l help -s h -d 'show this help'

complete -c oclcache -n '__oclcache_is inspect' -l json -d 'print everything as JSON'
complete -c oclcache -n '__oclcache_is inspect' -l source -d 'print only the source text, as the program gave it'
complete -c oclcache -n '__oclcache_is inspect' -l binary -r -F -d 'write the binary to FILE; "-" means standard output'
complete -c oclcache -n '__oclcache_is inspect' -l log -d 'print only the build log'
complete -c oclcache -n '__oclcache_is inspect' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is inspect' -l help -s h -d 'show this help'
complete -c oclcache -n '__oclcache_is inspect' -a '(__oclcache_hashes)' -d 'in the store'
complete -c oclcache -n '__oclcache_is inspect' -F

complete -c oclcache -n '__oclcache_is explain; and not __oclcache_program >/dev/null' -l last -d 'explain the last miss'
complete -c oclcache -n '__oclcache_is explain; and not __oclcache_program >/dev/null' -l trace -r -F -d 'explain the builds in a trace; -: standard input'
complete -c oclcache -n '__oclcache_is explain; and not __oclcache_program >/dev/null' -l reasons -d 'list all reasons by name'
complete -c oclcache -n '__oclcache_is explain; and not __oclcache_program >/dev/null' -l options -x -d 'the build options of FILE.cl'
complete -c oclcache -n '__oclcache_is explain; and not __oclcache_program >/dev/null' -l json -d 'with a program or a trace: print JSON'
complete -c oclcache -n '__oclcache_is explain; and not __oclcache_program >/dev/null' -l output -s o -r -F -d 'with a program or a trace: write to FILE'
complete -c oclcache -n '__oclcache_is explain; and not __oclcache_program >/dev/null' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is explain; and not __oclcache_program >/dev/null' -l help -s h -d 'show this help'
complete -c oclcache -n '__oclcache_is explain' -a '(__oclcache_complete_program)'
complete -c oclcache -n '__oclcache_is explain; and not __oclcache_program >/dev/null' -a '(__oclcache_hashes)' -d 'in the store'
complete -c oclcache -n '__oclcache_is explain; and not __oclcache_program >/dev/null' -k -a '(__fish_complete_suffix .cl)'

complete -c oclcache -n '__oclcache_is diff' -l json -d 'print the differences as JSON'
complete -c oclcache -n '__oclcache_is diff' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is diff' -l help -s h -d 'show this help'
complete -c oclcache -n '__oclcache_is diff' -a '(__oclcache_hashes)' -d 'in the store'
complete -c oclcache -n '__oclcache_is diff' -F

complete -c oclcache -n '__oclcache_is verify' -l delete -d 'remove bad files'
complete -c oclcache -n '__oclcache_is verify' -l json -d 'print the result as JSON'
complete -c oclcache -n '__oclcache_is verify' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is verify' -l help -s h -d 'show this help'

complete -c oclcache -n '__oclcache_is clear' -l unused-for -x -a '1h 1d 7d 30d' -d 'only if not used for AGE; first show what it frees'
complete -c oclcache -n '__oclcache_is clear' -l older-than -x -a '1h 1d 7d 30d' -d 'only if not used for AGE: 90s, 12h, 30d, 2w'
complete -c oclcache -n '__oclcache_is clear' -l device -x -d 'only for devices with TEXT in name or vendor'
complete -c oclcache -n '__oclcache_is clear' -l stale -d 'only entries that no installed driver can load'
complete -c oclcache -n '__oclcache_is clear' -l all-machines -d 'with --stale: also entries for other machines\' CPUs'
complete -c oclcache -n '__oclcache_is clear' -l dry-run -s n -d 'only show what would be removed'
complete -c oclcache -n '__oclcache_is clear' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is clear' -l help -s h -d 'show this help'

complete -c oclcache -n '__oclcache_is evict' -l to -x -a '1M 10M 100M 1G' -d 'the most that may remain: 500k, 200M, 1GiB'
complete -c oclcache -n '__oclcache_is evict' -l dry-run -s n -d 'only show what would be removed'
complete -c oclcache -n '__oclcache_is evict' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is evict' -l help -s h -d 'show this help'

complete -c oclcache -n '__oclcache_is export' -l device -x -d 'only for devices with TEXT in name or vendor'
complete -c oclcache -n '__oclcache_is export' -l program -x -d 'only with TEXT in kernel names, options or source'
complete -c oclcache -n '__oclcache_is export' -l sign-with -r -F -d 'sign with the key in FILE instead of your own'
complete -c oclcache -n '__oclcache_is export' -l unsigned -d 'don\'t sign anything'
complete -c oclcache -n '__oclcache_is export' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is export' -l help -s h -d 'show this help'
complete -c oclcache -n '__oclcache_is export' -F

complete -c oclcache -n '__oclcache_is import' -l dry-run -s n -d 'verify everything, but store nothing'
complete -c oclcache -n '__oclcache_is import' -l unsigned -d 'also accept unsigned entries'
complete -c oclcache -n '__oclcache_is import' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is import' -l help -s h -d 'show this help'
complete -c oclcache -n '__oclcache_is import' -F

complete -c oclcache -n '__oclcache_is push' -l device -x -d 'only for devices with TEXT in name or vendor'
complete -c oclcache -n '__oclcache_is push' -l program -x -d 'only with TEXT in kernel names, options or source'
complete -c oclcache -n '__oclcache_is push' -l sign-with -r -F -d 'sign with the key in FILE instead of your own'
complete -c oclcache -n '__oclcache_is push' -l unsigned -d 'don\'t sign anything'
complete -c oclcache -n '__oclcache_is push' -l plain-http -d 'connect to the registry without TLS'
complete -c oclcache -n '__oclcache_is push' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is push' -l help -s h -d 'show this help'

complete -c oclcache -n '__oclcache_is pull' -l dry-run -s n -d 'verify everything, but store nothing'
complete -c oclcache -n '__oclcache_is pull' -l unsigned -d 'also accept unsigned entries'
complete -c oclcache -n '__oclcache_is pull' -l plain-http -d 'connect to the registry without TLS'
complete -c oclcache -n '__oclcache_is pull' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is pull' -l help -s h -d 'show this help'

complete -c oclcache -n '__oclcache_is replay' -l stale -d 'compile the store\'s stale entries again'
complete -c oclcache -n '__oclcache_is replay' -l application -s a -x -d 'only builds of programs with TEXT in their path'
complete -c oclcache -n '__oclcache_is replay' -l device -s d -x -d 'devices with TEXT in their name, intended or not'
complete -c oclcache -n '__oclcache_is replay' -l all-devices -d 'all devices, intended or not'
complete -c oclcache -n '__oclcache_is replay' -l dry-run -s n -d 'only show what would be compiled'
complete -c oclcache -n '__oclcache_is replay' -l jobs -s j -x -a '1 2 4 8' -d 'number of processes (default: one per processor)'
complete -c oclcache -n '__oclcache_is replay' -l time-limit -x -a '10m 1h 8h' -d 'stop after this time: 90s, 15m, 2h'
complete -c oclcache -n '__oclcache_is replay' -l limit -x -a '1m 10m 30m' -d 'time limit for one program (default: 30m)'
complete -c oclcache -n '__oclcache_is replay' -l memory-limit -x -a '1G 2G 4G' -d 'memory limit for one process: 800M, 2GiB'
complete -c oclcache -n '__oclcache_is replay' -l priority -x -a 'idle normal' -d 'normal or idle (default: idle)'
complete -c oclcache -n '__oclcache_is replay' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is replay' -l no-upgrade -d 'don\'t run \'oclcache upgrade\' on new entries'
complete -c oclcache -n '__oclcache_is replay' -l verbose -s v -d 'list what isn\'t replayed, and why'
complete -c oclcache -n '__oclcache_is replay' -l quiet -s q -d 'print only failures'
complete -c oclcache -n '__oclcache_is replay' -l help -s h -d 'show this help'
complete -c oclcache -n '__oclcache_is replay' -F

complete -c oclcache -n '__oclcache_is prewarm' -l options -s o -x -d 'build options; may be repeated: each file with each'
complete -c oclcache -n '__oclcache_is prewarm' -l device -s d -x -d 'only devices with TEXT in their name'
complete -c oclcache -n '__oclcache_is prewarm' -l jobs -s j -x -a '1 2 4 8' -d 'number of processes (default: one per processor)'
complete -c oclcache -n '__oclcache_is prewarm' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is prewarm' -l no-upgrade -d 'don\'t run \'oclcache upgrade\' on new entries'
complete -c oclcache -n '__oclcache_is prewarm' -l quiet -s q -d 'print only failures'
complete -c oclcache -n '__oclcache_is prewarm' -l help -s h -d 'show this help'
complete -c oclcache -n '__oclcache_is prewarm' -F

complete -c oclcache -n '__oclcache_is database' -l json -d 'list: print everything as JSON'
complete -c oclcache -n '__oclcache_is database' -l wide -d 'list: print whole names, however long'
complete -c oclcache -n '__oclcache_is database' -l source -d 'show: write only the source, or IL'
complete -c oclcache -n '__oclcache_is database' -l file -x -d 'show: write only this included file'
complete -c oclcache -n '__oclcache_is database' -l output -s o -r -F -d 'merge: the database to create or add to'
complete -c oclcache -n '__oclcache_is database' -l application -x -d 'merge: only builds of applications with TEXT in their path'
complete -c oclcache -n '__oclcache_is database' -l device -x -d 'merge: only builds for devices with TEXT in their name, vendor or platform'
complete -c oclcache -n '__oclcache_is database' -l used-within -x -a '1h 1d 7d 30d' -d 'merge: only builds used within AGE: 12h, 30d, 2w'
complete -c oclcache -n '__oclcache_is database' -l strip-paths -d 'merge: leave out private paths'
complete -c oclcache -n '__oclcache_is database' -l help -s h -d 'show this help'
complete -c oclcache -n '__oclcache_is database; and __oclcache_no_verb' -f -a 'list show merge diff'
complete -c oclcache -n '__oclcache_is database; and not __oclcache_no_verb' -F

complete -c oclcache -n '__oclcache_is upgrade' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is upgrade' -l dry-run -s n -d 'only show how many entries are waiting'
complete -c oclcache -n '__oclcache_is upgrade' -l no-wait -d 'exit at once if another upgrade is running'
complete -c oclcache -n '__oclcache_is upgrade' -l quiet -s q -d 'print only failures'
complete -c oclcache -n '__oclcache_is upgrade' -l retry -d 'also retry entries that failed before'
complete -c oclcache -n '__oclcache_is upgrade' -l time-limit -x -a '60 600 3600' -d 'start no further entry after this time'
complete -c oclcache -n '__oclcache_is upgrade' -l help -s h -d 'show this help'

complete -c oclcache -n '__oclcache_is key' -l help -s h -d 'show this help'
complete -c oclcache -n '__oclcache_is key; and __oclcache_no_verb' -f -a 'generate public list trust distrust'

complete -c oclcache -n '__oclcache_is doctor' -l json -d 'print the findings as JSON'
complete -c oclcache -n '__oclcache_is doctor' -l learn -d 'keep what is learnt about unknown drivers'
complete -c oclcache -n '__oclcache_is doctor' -l dir -x -a '(__fish_complete_directories)' -d 'use the store in DIR instead of the default one'
complete -c oclcache -n '__oclcache_is doctor' -l help -s h -d 'show this help'

complete -c oclcache -n '__oclcache_is config' -l json -d 'print the settings as JSON'
complete -c oclcache -n '__oclcache_is config' -l help -s h -d 'show this help'

complete -c oclcache -n '__oclcache_is enable' -l system -d 'for all users; needs root'
complete -c oclcache -n '__oclcache_is enable' -l profile -d 'also add it to ~/.profile, for ssh and the console'
complete -c oclcache -n '__oclcache_is enable' -l timer -d 'also compile for new drivers in the background'
complete -c oclcache -n '__oclcache_is enable' -l remote -x -d 'share with other machines: "URL ATTRIBUTE..."'
complete -c oclcache -n '__oclcache_is enable' -l dry-run -s n -d 'only show what would be written'
complete -c oclcache -n '__oclcache_is enable' -l help -s h -d 'show this help'

complete -c oclcache -n '__oclcache_is disable' -l system -d 'remove what is for all users; needs root'
complete -c oclcache -n '__oclcache_is disable' -l timer -d 'remove only what enable --timer added'
complete -c oclcache -n '__oclcache_is disable' -l remote -d 'remove only what enable --remote added'
complete -c oclcache -n '__oclcache_is disable' -l dry-run -s n -d 'only show what would be removed'
complete -c oclcache -n '__oclcache_is disable' -l help -s h -d 'show this help'

complete -c oclcache -n '__oclcache_is help' -a run -d 'run a program with the cache, and show what that saved'
complete -c oclcache -n '__oclcache_is help' -a record -d 'run a program and record what it builds, for \'replay\''
complete -c oclcache -n '__oclcache_is help' -a stats -d 'show what the cache has done so far'
complete -c oclcache -n '__oclcache_is help' -a report -d 'write a page that shows how the cache is doing'
complete -c oclcache -n '__oclcache_is help' -a list -d 'list the entries in the store'
complete -c oclcache -n '__oclcache_is help' -a inspect -d 'show everything about one entry'
complete -c oclcache -n '__oclcache_is help' -a explain -d 'say why builds weren\'t served from the cache'
complete -c oclcache -n '__oclcache_is help' -a diff -d 'show the differences between two entries or two stores'
complete -c oclcache -n '__oclcache_is help' -a verify -d 'check every byte of the store'
complete -c oclcache -n '__oclcache_is help' -a clear -d 'remove entries'
complete -c oclcache -n '__oclcache_is help' -a evict -d 'shrink the store by removing the least recently used entries'
complete -c oclcache -n '__oclcache_is help' -a export -d 'pack entries into a tar file'
complete -c oclcache -n '__oclcache_is help' -a import -d 'import entries from a tar file'
complete -c oclcache -n '__oclcache_is help' -a push -d 'send entries to a registry of container images'
complete -c oclcache -n '__oclcache_is help' -a pull -d 'import entries from a registry of container images'
complete -c oclcache -n '__oclcache_is help' -a replay -d 'compile recorded programs into the store'
complete -c oclcache -n '__oclcache_is help' -a prewarm -d 'compile sources into the store'
complete -c oclcache -n '__oclcache_is help' -a database -d 'show, merge and compare databases of builds'
complete -c oclcache -n '__oclcache_is help' -a upgrade -d 'let hits on NVIDIA\'s driver load without compiling'
complete -c oclcache -n '__oclcache_is help' -a key -d 'manage the keys that vouch for entries from other machines'
complete -c oclcache -n '__oclcache_is help' -a doctor -d 'check that everything works, and say what to do if not'
complete -c oclcache -n '__oclcache_is help' -a config -d 'show the settings and where each one comes from'
complete -c oclcache -n '__oclcache_is help' -a enable -d 'switch the layer on for all programs'
complete -c oclcache -n '__oclcache_is help' -a disable -d 'undo what \'oclcache enable\' did'
complete -c oclcache -n '__oclcache_is help' -a help -d 'show this list, or the help for a command'
