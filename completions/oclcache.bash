# Made by scripts/completions from what --help says: don't edit.
# bash completion of oclcache, with bash-completion.

# The store that the line names, as arguments.
_oclcache_place() {
    local i
    place=()
    for ((i = 2; i < cword; i++)); do
        case ${words[i]} in
            --dir) place=(--dir "${words[i + 1]}") ;;
            --dir=*) place=("${words[i]}") ;;
        esac
    done
}

_oclcache_hashes() {
    local -a place
    _oclcache_place
    COMPREPLY+=($(compgen -W "$(oclcache list --columns hash "${place[@]}" \
        2>/dev/null | command grep -oE '^[0-9a-f]{4,}')" -- "$cur"))
}

_oclcache_words() {
    COMPREPLY+=($(compgen -W "$1" -- "$cur"))
}

# Several words with commas; none twice.
_oclcache_list() {
    local before= word
    [[ $cur != *,* ]] || before=${cur%,*},
    for word in $1; do
        [[ ,$before == *,"$word",* || $before$word != "$cur"* ]] ||
            COMPREPLY+=("$before$word")
    done
    compopt -o nospace
}

# The paths among $1's kinds of operands, and hashes.
_oclcache_operands() {
    case " $1 " in
        *" sources "*) _filedir cl ;;
        *" files "*) _filedir ;;
    esac
    [[ " $1 " != *" hashes "* ]] || _oclcache_hashes
}

_oclcache_commands="run stats list inspect explain diff verify clear evict export import prewarm doctor config enable disable help"

# Of a command: its options, which of them have values, and
# its operands.
_oclcache_about() {
    options= valued= operands=
    case $1 in
        run)
            options="--help -h"
            valued=""
            operands=""
            ;;
        stats)
            options="--help -h"
            valued=""
            operands=""
            ;;
        list)
            options="--help -h"
            valued=""
            operands=""
            ;;
        inspect)
            options="--help -h"
            valued=""
            operands=""
            ;;
        explain)
            options="--help -h"
            valued=""
            operands=""
            ;;
        diff)
            options="--help -h"
            valued=""
            operands=""
            ;;
        verify)
            options="--help -h"
            valued=""
            operands=""
            ;;
        clear)
            options="--help -h"
            valued=""
            operands=""
            ;;
        evict)
            options="--help -h"
            valued=""
            operands=""
            ;;
        export)
            options="--help -h"
            valued=""
            operands=""
            ;;
        import)
            options="--help -h"
            valued=""
            operands=""
            ;;
        prewarm)
            options="--help -h"
            valued=""
            operands=""
            ;;
        doctor)
            options="--help -h"
            valued=""
            operands=""
            ;;
        config)
            options="--help -h"
            valued=""
            operands=""
            ;;
        enable)
            options="--help -h"
            valued=""
            operands=""
            ;;
        disable)
            options="--help -h"
            valued=""
            operands=""
            ;;
        help)
            options=""
            valued=""
            operands="commands"
            ;;
    esac
}

_oclcache_value() {
    case $1 in
        *) ;;
    esac
}

_oclcache() {
    local cur prev words cword split command options valued operands i
    _init_completion -s || return
    if ((cword == 1)); then
        _oclcache_words "$_oclcache_commands --help --version"
        return
    fi
    command=${words[1]}
    _oclcache_about "$command"
    # Where the first operand is, and whether options have ended.
    local first=0 ended=0
    for ((i = 2; i < cword; i++)); do
        if ((ended)) || [[ ${words[i]} != -?* ]]; then
            first=$i
            break
        elif [[ ${words[i]} == -- ]]; then
            ended=1
            [[ $operands != program ]] || first=$((i + 1))
        elif [[ " $valued " == *" ${words[i]} "* ]]; then
            ((i++))
        fi
    done
    if [[ $operands == program ]] && ((first)); then
        _command_offset "$first"
        return
    fi
    for ((i = 2; i < cword; i++)); do
        [[ ${words[i]} != -- ]] || ended=1
    done
    if ((!ended)) && [[ " $valued " == *" $prev "* ]]; then
        _oclcache_value "$command $prev"
        return
    fi
    # A value was asked for of an option that has none.
    ! $split || return
    if ((!ended)) && [[ $cur == -* ]]; then
        _oclcache_words "$options"
    elif [[ $operands == program ]]; then
        _command_offset "$cword"
    elif [[ $operands == commands ]]; then
        _oclcache_words "$_oclcache_commands"
    else
        _oclcache_operands "$operands"
    fi
} &&
    complete -F _oclcache oclcache
