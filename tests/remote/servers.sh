# shellcheck shell=bash
# Servers to keep a remote storage on, for a test: source it after tests/layer/lib.sh.
# Each listens on a free port of 127.0.0.1 (or a Unix socket), keeps everything in
# $work/servers, and ends with the test, however that ends.
#
#	why=$(server_missing nginx)	why it can't be had (nginx, redis, moto); fails
#					when it can
#	start_nginx [OPTION...]		WebDAV in $nginx_files, at $nginx_url; its log of
#					requests is $nginx_log. Options: tls (the
#					authority is $authority), client-certificate
#					($client_certificate, $client_key), basic (only
#					user "writer", password "a secret" may write, and
#					"reader", "another" read), bearer (token
#					"a-token" for all)
#	start_redis [OPTION...]		at $redis_url, and redis+unix at $redis_socket.
#					Options: tls (then only that, at $redis_url),
#					password ("a secret")
#	start_moto			S3 at $moto_url, of anybody, with an empty bucket
#					"kernels"
#	start_helper [ATTRIBUTE=VALUE...]  tests/remote/helper.py at $helper_socket, over
#					$helper_files, with its log in $helper_log
#	start_proxy TO			tests/remote/proxy.py before a socket or port, at
#					$proxy (a free port, or $serving/proxy.socket),
#					doing what $serving/fault says, if it is there,
#					with its log in $proxy_log
#	stop_server NAME		at once (SIGKILL), and waits for it
#	start_again NAME		with the port, the options and the files it had
#	redis_cli ARGUMENT...
#
# A start that fails ends the test with a failure.
#
# shellcheck disable=SC2034,SC2154 # what it gives to, and has from, who sources it

servers=$PWD/build/servers
serving=$work/servers
mkdir -p "$serving"
declare -A server_pids=() server_commands=()

end_servers() {
    local name
    for name in "${!server_pids[@]}"; do
        stop_server "$name"
    done
}
trap 'end_servers; chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT

# The program of a package that scripts/deps has unpacked, or the machine's own.
server_program() {
    local unpacked
    for unpacked in "$servers/$1"/usr/{s,}bin/"$2"; do
        if [ -x "$unpacked" ]; then
            echo "$unpacked"
            return
        fi
    done
    PATH=$PATH:/usr/sbin type -P "$2"
}

# server_missing NAME
server_missing() {
    case $1 in
    nginx) server_program nginx nginx >/dev/null || set -- "$1" servers ;;
    redis) server_program redis redis-server >/dev/null || set -- "$1" servers ;;
    moto) [ -x build/venv/bin/moto_server ] || set -- "$1" moto ;;
    *) set -- "$1" nothing ;;
    esac
    [ $# = 2 ] || return 1
    echo "$1 isn't here (scripts/deps $2)"
}

# free_ports COUNT: ports that nobody listens on now, a line each, and that the
# kernel gives to nobody who only connects.
free_ports() {
    python3 -c '
import random, socket, sys
with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
    first = min(32768, int(file.read().split()[0]))
sockets = []
while len(sockets) < int(sys.argv[1]):
    one = socket.socket()
    try:
        one.bind(("127.0.0.1", random.randrange(10000, max(first, 20000))))
    except OSError:
        continue
    sockets.append(one)
for one in sockets:
    print(one.getsockname()[1])' "$1"
}

# until_true COMMAND...: for 60 s at most.
until_true() {
    local end=$((SECONDS + 60))
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.05
    done
}

# listens PORT-OR-SOCKET
listens() {
    case $1 in
    /*) python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$1" ;;
    *) (: >"/dev/tcp/127.0.0.1/$1") ;;
    esac
}

# start_server NAME PORT-OR-SOCKET COMMAND...: dies with this shell. Its output is in
# $serving/NAME.log.
start_server() {
    local name=$1 where=$2
    shift 2
    printf -v "server_commands[$name]" '%q ' "$name" "$where" "$@"
    setpriv --pdeathsig KILL "$@" >>"$serving/$name.log" 2>&1 </dev/null &
    server_pids[$name]=$!
    if ! until_true listens "$where"; then
        fail "$name starts" < <(tail -n 20 "$serving/$name.log")
        finish
        exit 1
    fi
}

# stop_server NAME
stop_server() {
    local pid=${server_pids[$1]-}
    [ -n "$pid" ] || return 0
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    unset "server_pids[$1]"
}

# start_again NAME
start_again() {
    stop_server "$1"
    eval "start_server ${server_commands[$1]}"
}

# start_helper [ATTRIBUTE=VALUE...]
start_helper() {
    local attribute count=1
    helper_socket=$serving/helper.socket helper_files=$serving/helper
    helper_log=$serving/helper.requests
    local -x CRSH_IPC_ENDPOINT=$helper_socket CRSH_URL=file://$helper_files
    local -x CRSH_ATTR_KEY_0=log CRSH_ATTR_VALUE_0=$helper_log
    for attribute; do
        declare -x "CRSH_ATTR_KEY_$count=${attribute%%=*}"
        declare -x "CRSH_ATTR_VALUE_$count=${attribute#*=}"
        count=$((count + 1))
    done
    local -x CRSH_NUM_ATTR=$count
    : >>"$helper_log"
    start_server helper "$helper_socket" python3 tests/remote/helper.py
}

# start_proxy TO
start_proxy() {
    proxy=$serving/proxy.socket proxy_log=$serving/proxy.log
    [[ $1 == /* ]] || proxy=$(free_ports 1)
    start_server proxy "$proxy" tests/remote/proxy.py "$proxy" "$1" \
        "$serving/fault" "$proxy_log"
}

# An authority, a certificate for 127.0.0.1 and localhost, and one for clients; made
# once.
make_certificates() {
    local here=$serving/tls name
    authority=$here/authority.pem
    client_certificate=$here/client.pem client_key=$here/client.key
    [ ! -e "$authority" ] || return 0
    mkdir -p "$here"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
        -days 30 -subj '/CN=An authority of tests' -keyout "$here/authority.key" \
        -out "$authority" 2>/dev/null
    for name in server client; do
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
            -subj "/CN=$name" -keyout "$here/$name.key" -out "$here/$name.csr" \
            2>/dev/null
        openssl x509 -req -in "$here/$name.csr" -CA "$authority" \
            -CAkey "$here/authority.key" -CAcreateserial -days 30 \
            -extfile <(echo 'subjectAltName=DNS:localhost,IP:127.0.0.1') \
            -out "$here/$name.pem" 2>/dev/null
    done
}

# has_option NAME OPTION...
has_option() {
    [[ " ${*:2} " == *" $1 "* ]]
}

# nginx_configuration PORT OPTION...
nginx_configuration() {
    local port=$1 tls='' more=''
    shift
    ! has_option tls "$@" || tls=' ssl'
    [ -z "$tls" ] || more+="ssl_certificate $serving/tls/server.pem;
        ssl_certificate_key $serving/tls/server.key;"
    ! has_option client-certificate "$@" ||
        more+="ssl_client_certificate $authority; ssl_verify_client on;"
    # shellcheck disable=SC2016 # nginx's variable
    ! has_option bearer "$@" ||
        more+='if ($http_authorization != "Bearer a-token") { return 401; }'
    ! has_option basic "$@" || more+="auth_basic kernels;
        auth_basic_user_file $serving/readers;"
    cat <<END
daemon off; master_process off; pid $serving/nginx.pid;
error_log $serving/nginx.error;
events { worker_connections 512; }
http {
    access_log $nginx_log;
    client_body_temp_path $serving/nginx-body;
    proxy_temp_path $serving/nginx-unused; fastcgi_temp_path $serving/nginx-unused;
    uwsgi_temp_path $serving/nginx-unused; scgi_temp_path $serving/nginx-unused;
    keepalive_requests 100000;
    server {
        listen 127.0.0.1:$port$tls;
        $more
        location / {
            root $nginx_files;
            client_max_body_size 256m;
            dav_methods PUT DELETE;
            create_full_put_path on;
            $(! has_option basic "$@" || echo "limit_except GET {
                auth_basic kernels; auth_basic_user_file $serving/writers; }")
        }
    }
}
END
}

# start_nginx [OPTION...]
start_nginx() {
    local port
    port=$(free_ports 1)
    nginx_files=$serving/nginx nginx_log=$serving/nginx.requests
    mkdir -p "$nginx_files" "$serving/nginx-body"
    make_certificates
    printf 'writer:{PLAIN}a secret\n' >"$serving/writers"
    printf 'writer:{PLAIN}a secret\nreader:{PLAIN}another\n' >"$serving/readers"
    nginx_configuration "$port" "$@" >"$serving/nginx.conf"
    nginx_url=http://127.0.0.1:$port/
    ! has_option tls "$@" || nginx_url=https://127.0.0.1:$port/
    start_server nginx "$port" "$(server_program nginx nginx)" -p "$serving" \
        -e "$serving/nginx.error" -c "$serving/nginx.conf"
}

# start_redis [OPTION...]
start_redis() {
    local port tls_port
    local -a more=()
    {
        read -r port
        read -r tls_port
    } < <(free_ports 2)
    redis_socket=$serving/redis.socket
    redis_secret=()
    redis_url=redis://127.0.0.1:$port
    if has_option tls "$@"; then
        make_certificates
        redis_url=rediss://127.0.0.1:$tls_port
        more+=(--tls-port "$tls_port" --tls-cert-file "$serving/tls/server.pem"
            --tls-key-file "$serving/tls/server.key"
            --tls-ca-cert-file "$authority")
        has_option client-certificate "$@" || more+=(--tls-auth-clients no)
        port=0
    fi
    if has_option password "$@"; then
        redis_secret=('a secret')
        more+=(--requirepass 'a secret')
    fi
    start_server redis "$redis_socket" "$(server_program redis redis-server)" \
        --bind 127.0.0.1 --port "$port" --unixsocket "$redis_socket" --save '' \
        --appendonly no --dir "$serving" --loglevel warning "${more[@]}"
}

redis_cli() {
    env ${redis_secret[0]:+"REDISCLI_AUTH=${redis_secret[0]}"} \
        "$(server_program redis redis-cli)" -s "$redis_socket" "$@"
}

start_moto() {
    local port
    port=$(free_ports 1)
    moto_url=http://127.0.0.1:$port
    start_server moto "$port" build/venv/bin/moto_server -H 127.0.0.1 -p "$port"
    curl -sS -X PUT --user an-id:a-secret --aws-sigv4 aws:amz:us-east-1:s3 \
        "$moto_url/kernels" >>"$serving/moto.log"
}
