# Made by scripts/completions from what --help says: don't edit.
# bash completion of oclcache, with bash-completion.

# The store that the line names, as arguments.
_oclcache_place() {
    local i directory=
    for ((i = 2; i < cword; i++)); do
        case ${words[i]} in
            --dir) directory=${words[i + 1]} ;;
            --dir=*) directory=${words[i]#*=} ;;
        esac
    done
    # As it is typed, with quotes.
    directory=${directory//[\\\'\"]/}
    place=()
    [[ ! $directory ]] || place=(--dir "${directory/#\~\//"$HOME/"}")
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

# What a command's kinds of operands are.
_oclcache_operands() {
    if [[ $verbs ]] && ((cword == 2)); then
        _oclcache_words "$verbs"
        return
    fi
    [[ " $1 " != *" program "* ]] ||
        COMPREPLY+=($(compgen -c -- "$cur"))
    case " $1 " in
        *" commands "*) _oclcache_words "$_oclcache_commands" ;;
        *" sources "*) _filedir cl ;;
        *" files "*) _filedir ;;
    esac
    [[ " $1 " != *" hashes "* ]] || _oclcache_hashes
}

_oclcache_commands="run record stats report list inspect explain diff verify clear evict export import push pull replay prewarm database upgrade key doctor config enable disable help"

# Of a command: its options, which of them have values, words
# that its first operand may be, and its operands.
_oclcache_about() {
    options= valued= verbs= operands=
    case $1 in
        run)
            options="--quiet -q --stats-json --trace --require --require-hits --recache --dir --help -h"
            valued="--stats-json --trace --require-hits --dir"
            operands="program"
            ;;
        record)
            options="--output -o --from-store --quiet -q --stats-json --dir --help -h"
            valued="--output -o --stats-json --dir"
            operands="program"
            ;;
        stats)
            options="--json --openmetrics --prometheus --zero -z --since --by --dir --help -h"
            valued="--since --by --dir"
            operands=""
            ;;
        report)
            options="--output -o --no-stale --dir --help -h"
            valued="--output -o --dir"
            operands=""
            ;;
        list)
            options="--json --sort --reverse --columns --wide --program --device --driver --older-than --newer-than --larger-than --smaller-than --dir --help -h"
            valued="--sort --columns --program --device --driver --older-than --newer-than --larger-than --smaller-than --dir"
            operands=""
            ;;
        inspect)
            options="--json --source --binary --log --dir --help -h"
            valued="--binary --dir"
            operands="files hashes"
            ;;
        explain)
            options="--last --trace --reasons --options --json --output -o --dir --help -h"
            valued="--trace --options --output -o --dir"
            operands="hashes program sources"
            ;;
        diff)
            options="--json --dir --help -h"
            valued="--dir"
            operands="files hashes"
            ;;
        verify)
            options="--delete --json --dir --help -h"
            valued="--dir"
            operands=""
            ;;
        clear)
            options="--unused-for --older-than --device --stale --all-machines --dry-run -n --dir --help -h"
            valued="--unused-for --older-than --device --dir"
            operands=""
            ;;
        evict)
            options="--to --dry-run -n --dir --help -h"
            valued="--to --dir"
            operands=""
            ;;
        export)
            options="--device --program --sign-with --unsigned --dir --help -h"
            valued="--device --program --sign-with --dir"
            operands="files"
            ;;
        import)
            options="--dry-run -n --unsigned --dir --help -h"
            valued="--dir"
            operands="files"
            ;;
        push)
            options="--device --program --sign-with --unsigned --plain-http --dir --help -h"
            valued="--device --program --sign-with --dir"
            operands=""
            ;;
        pull)
            options="--dry-run -n --unsigned --plain-http --dir --help -h"
            valued="--dir"
            operands=""
            ;;
        replay)
            options="--stale --application -a --device -d --all-devices --dry-run -n --jobs -j --time-limit --limit --memory-limit --priority --dir --no-upgrade --verbose -v --quiet -q --help -h"
            valued="--application -a --device -d --jobs -j --time-limit --limit --memory-limit --priority --dir"
            operands="files"
            ;;
        prewarm)
            options="--options -o --device -d --jobs -j --dir --no-upgrade --quiet -q --help -h"
            valued="--options -o --device -d --jobs -j --dir"
            operands="files"
            ;;
        database)
            options="--json --wide --source --file --output -o --application --device --used-within --strip-paths --help -h"
            valued="--file --output -o --application --device --used-within"
            verbs="list show merge diff"
            operands="files"
            ;;
        upgrade)
            options="--dir --dry-run -n --no-wait --quiet -q --retry --time-limit --help -h"
            valued="--dir --time-limit"
            operands=""
            ;;
        key)
            options="--help -h"
            valued=""
            verbs="generate public list trust distrust"
            operands=""
            ;;
        doctor)
            options="--json --learn --dir --help -h"
            valued="--dir"
            operands=""
            ;;
        config)
            options="--json --help -h"
            valued=""
            operands=""
            ;;
        enable)
            options="--system --profile --timer --remote --dry-run -n --help -h"
            valued="--remote"
            operands=""
            ;;
        disable)
            options="--system --timer --remote --dry-run -n --help -h"
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
        "run --stats-json" | \
            "run --trace" | \
            "record --output" | \
            "record -o" | \
            "record --stats-json" | \
            "report --output" | \
            "report -o" | \
            "inspect --binary" | \
            "explain --trace" | \
            "explain --output" | \
            "explain -o" | \
            "export --sign-with" | \
            "push --sign-with" | \
            "database --output" | \
            "database -o")
            _filedir ;;
        "run --require-hits")
            _oclcache_words "50 90 95 100" ;;
        "run --dir" | \
            "record --dir" | \
            "stats --dir" | \
            "report --dir" | \
            "list --dir" | \
            "inspect --dir" | \
            "explain --dir" | \
            "diff --dir" | \
            "verify --dir" | \
            "clear --dir" | \
            "evict --dir" | \
            "export --dir" | \
            "import --dir" | \
            "push --dir" | \
            "pull --dir" | \
            "replay --dir" | \
            "prewarm --dir" | \
            "upgrade --dir" | \
            "doctor --dir")
            _filedir -d ;;
        "stats --since" | \
            "list --older-than" | \
            "list --newer-than" | \
            "clear --unused-for" | \
            "clear --older-than" | \
            "database --used-within")
            _oclcache_words "1h 1d 7d 30d" ;;
        "stats --by")
            _oclcache_words "program day" ;;
        "list --sort")
            _oclcache_words "age size name device driver hits time" ;;
        "list --columns")
            _oclcache_list "hash age size hits time device driver kernels options" ;;
        "list --larger-than" | \
            "list --smaller-than" | \
            "evict --to")
            _oclcache_words "1M 10M 100M 1G" ;;
        "replay --jobs" | \
            "replay -j" | \
            "prewarm --jobs" | \
            "prewarm -j")
            _oclcache_words "1 2 4 8" ;;
        "replay --time-limit")
            _oclcache_words "10m 1h 8h" ;;
        "replay --limit")
            _oclcache_words "1m 10m 30m" ;;
        "replay --memory-limit")
            _oclcache_words "1G 2G 4G" ;;
        "replay --priority")
            _oclcache_words "idle normal" ;;
        "upgrade --time-limit")
            _oclcache_words "60 600 3600" ;;
        *) ;;
    esac
}

# Completes what a program takes that is to be run, if it has begun.
_oclcache_program() {
    local i=2 word
    while ((i < COMP_CWORD)); do
        word=${COMP_WORDS[i]}
        [[ $word == -?* ]] || break
        ((i++))
        [[ $word != -- ]] || break
        if [[ " $valued " == *" $word "* ]]; then
            # "--name=value" is three words.
            [[ ${COMP_WORDS[i]-} != "=" ]] || ((i++))
            ((i++))
        fi
    done
    ((i <= COMP_CWORD)) || return
    # It may be something else than a program.
    [[ $operands == program ]] ||
        { ((i < COMP_CWORD)) && type -P -- "${COMP_WORDS[i]}" >/dev/null; } ||
        return
    [[ $i != "$COMP_CWORD" || ${COMP_WORDS[i - 1]} == -- || $cur != -* ]] ||
        return
    _command_offset "$i"
}

_oclcache_ended() {
    local i
    for ((i = 2; i < cword; i++)); do
        [[ ${words[i]} != -- ]] || return 0
    done
    return 1
}

_oclcache() {
    local cur prev words cword split command options valued verbs operands
    if declare -F _init_completion >/dev/null; then
        _init_completion -s || return
    else
        # Without bash-completion: no "--name=value", nothing within words.
        words=("${COMP_WORDS[@]}") cword=$COMP_CWORD split=false
        cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    fi
    command=${words[1]}
    _oclcache_about "$command"
    if ((cword == 1)); then
        if [[ $cur == -* ]]; then
            _oclcache_words "--help --version"
        else
            _oclcache_words "$_oclcache_commands"
        fi
    elif [[ " $operands " == *" program "* ]] && _oclcache_program; then
        :
    elif _oclcache_ended; then
        _oclcache_operands "$operands"
    elif [[ " $valued " == *" $prev "* ]]; then
        _oclcache_value "$command $prev"
    elif $split; then
        # A value, for an option that has none.
        :
    elif [[ $cur == -* ]]; then
        _oclcache_words "$options"
    else
        _oclcache_operands "$operands"
    fi
} &&
    complete -F _oclcache oclcache
