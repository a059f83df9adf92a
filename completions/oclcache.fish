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

complete -c oclcache -f
complete -c oclcache -n __oclcache_no_command -a run -d 'run a program under the layer, and say what it saved'
complete -c oclcache -n __oclcache_no_command -a stats -d 'what the cache has done so far'
complete -c oclcache -n __oclcache_no_command -a list -d 'the programs in the store'
complete -c oclcache -n __oclcache_no_command -a inspect -d 'all that one entry says'
complete -c oclcache -n __oclcache_no_command -a explain -d 'why a program wasn\'t served'
complete -c oclcache -n __oclcache_no_command -a diff -d 'what differs between two entries or stores'
complete -c oclcache -n __oclcache_no_command -a verify -d 'check every byte of the store'
complete -c oclcache -n __oclcache_no_command -a clear -d 'remove entries'
complete -c oclcache -n __oclcache_no_command -a evict -d 'make the store smaller, least recently used entries first'
complete -c oclcache -n __oclcache_no_command -a export -d 'pack entries into a tar file'
complete -c oclcache -n __oclcache_no_command -a import -d 'take entries from a tar file'
complete -c oclcache -n __oclcache_no_command -a prewarm -d 'compile sources into the store'
complete -c oclcache -n __oclcache_no_command -a doctor -d 'find out whether everything works, and say what to do'
complete -c oclcache -n __oclcache_no_command -a config -d 'show the settings and where each comes from'
complete -c oclcache -n __oclcache_no_command -a enable -d 'switch the layer on for all programs'
complete -c oclcache -n __oclcache_no_command -a disable -d 'undo what enable did'
complete -c oclcache -n __oclcache_no_command -a help -d 'this list, or of a command all that it takes'
complete -c oclcache -n __oclcache_no_command -l help -s h -d 'show the commands'
complete -c oclcache -n __oclcache_no_command -l version -d 'show the version'

complete -c oclcache -n '__oclcache_is run' -l help -s h -d 'show this'

complete -c oclcache -n '__oclcache_is stats' -l help -s h -d 'show this'

complete -c oclcache -n '__oclcache_is list' -l help -s h -d 'show this'

complete -c oclcache -n '__oclcache_is inspect' -l help -s h -d 'show this'

complete -c oclcache -n '__oclcache_is explain' -l help -s h -d 'show this'

complete -c oclcache -n '__oclcache_is diff' -l help -s h -d 'show this'

complete -c oclcache -n '__oclcache_is verify' -l help -s h -d 'show this'

complete -c oclcache -n '__oclcache_is clear' -l help -s h -d 'show this'

complete -c oclcache -n '__oclcache_is evict' -l help -s h -d 'show this'

complete -c oclcache -n '__oclcache_is export' -l help -s h -d 'show this'

complete -c oclcache -n '__oclcache_is import' -l help -s h -d 'show this'

complete -c oclcache -n '__oclcache_is prewarm' -l help -s h -d 'show this'

complete -c oclcache -n '__oclcache_is doctor' -l help -s h -d 'show this'

complete -c oclcache -n '__oclcache_is config' -l help -s h -d 'show this'

complete -c oclcache -n '__oclcache_is enable' -l help -s h -d 'show this'

complete -c oclcache -n '__oclcache_is disable' -l help -s h -d 'show this'

complete -c oclcache -n '__oclcache_is help' -a run -d 'run a program under the layer, and say what it saved'
complete -c oclcache -n '__oclcache_is help' -a stats -d 'what the cache has done so far'
complete -c oclcache -n '__oclcache_is help' -a list -d 'the programs in the store'
complete -c oclcache -n '__oclcache_is help' -a inspect -d 'all that one entry says'
complete -c oclcache -n '__oclcache_is help' -a explain -d 'why a program wasn\'t served'
complete -c oclcache -n '__oclcache_is help' -a diff -d 'what differs between two entries or stores'
complete -c oclcache -n '__oclcache_is help' -a verify -d 'check every byte of the store'
complete -c oclcache -n '__oclcache_is help' -a clear -d 'remove entries'
complete -c oclcache -n '__oclcache_is help' -a evict -d 'make the store smaller, least recently used entries first'
complete -c oclcache -n '__oclcache_is help' -a export -d 'pack entries into a tar file'
complete -c oclcache -n '__oclcache_is help' -a import -d 'take entries from a tar file'
complete -c oclcache -n '__oclcache_is help' -a prewarm -d 'compile sources into the store'
complete -c oclcache -n '__oclcache_is help' -a doctor -d 'find out whether everything works, and say what to do'
complete -c oclcache -n '__oclcache_is help' -a config -d 'show the settings and where each comes from'
complete -c oclcache -n '__oclcache_is help' -a enable -d 'switch the layer on for all programs'
complete -c oclcache -n '__oclcache_is help' -a disable -d 'undo what enable did'
complete -c oclcache -n '__oclcache_is help' -a help -d 'this list, or of a command all that it takes'
