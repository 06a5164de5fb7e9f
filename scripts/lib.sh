# shellcheck shell=bash
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
#
# The common functions of the scripts. Sourced by bash, in the root directory of the checkout.

needed_swift=6.2

say() { printf '%s\n' "$*" >&2; }

# print_header SCRIPT: prints the comment at the beginning of a script as its help.
print_header() { sed -n '5,/^[^#]/{s/^# \{0,1\}//p}' "$1"; }

explain_swift() {
    cat >&2 <<TEXT
Swift $needed_swift or later is required, but $1.
Swift is available from swift.org, not from apt. Either install it with swiftly:
    curl -O https://download.swift.org/swiftly/linux/swiftly-\$(uname -m).tar.gz
    tar xzf swiftly-\$(uname -m).tar.gz && ./swiftly init
or unpack a toolchain from https://www.swift.org/install/linux/ and put its usr/bin into PATH.
Then run this script again.
TEXT
    exit 1
}

# Exits if Swift is missing or too old.
require_swift() {
    command -v swift >/dev/null 2>&1 || explain_swift "there is no swift in PATH"
    local text version
    text=$(swift --version 2>/dev/null) || explain_swift "$(command -v swift) cannot be run"
    version=$(sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' <<<"$text" | head -n 1)
    [[ -n $version ]] || explain_swift "$(command -v swift) does not print its version"
    [[ $(printf '%s\n%s\n' "$needed_swift" "$version" | sort -V | head -n 1) == "$needed_swift" ]] ||
        explain_swift "$(command -v swift) is $version"
}

is_installed() {
    case $1 in
        # pkgconf is a replacement.
        pkg-config) command -v pkg-config >/dev/null 2>&1 ;;
        libgps-dev) pkg-config --exists libgps 2>/dev/null ;;
        libiio-dev) pkg-config --exists libiio 2>/dev/null ;;
        libudev-dev) pkg-config --exists libudev 2>/dev/null ;;
        libmosquitto-dev) pkg-config --exists libmosquitto 2>/dev/null ;;
        *) dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed' ;;
    esac
}

# The path at which Debian's tools check whether a service may be started.
service_policy=/usr/sbin/policy-rc.d

# leave_services POLICY COMMAND...: runs the command as the present user, in a separate shell, and prevents it from
# starting new services, because Debian starts the services of a package when it is installed. Running services are
# restarted for a newer version as usual. An existing policy is used unmodified. Prints the names of the services.
leave_services() {
    local policy=$1 refused status=0
    shift
    refused=$(mktemp) || return
    trap 'exit 130' INT
    trap 'exit 143' TERM
    # If this shell is killed, the policy removes itself at its first use.
    local text=(
        '#!/bin/sh'
        "# Made by process $$, which installs packages for swift-device-services, and removed by it."
        "[ -d /proc/$$ ] || { rm -f \"\$0\"; exit 0; }"
        'while :; do case $1 in -*) shift ;; *) break ;; esac; done'
        # A parenthesized action would not be executed without a policy either.
        "case \$2 in start) echo \"\$1\" >>'$refused' && exit 101 ;; '('*) exit 101 ;; esac"
        'exit 0'
    )
    if (set -C && printf '%s\n' "${text[@]}" >"$policy") 2>/dev/null; then
        # shellcheck disable=SC2064
        trap "rm -f '$policy' '$refused'" EXIT
        chmod 755 "$policy"
    else
        # shellcheck disable=SC2064
        trap "rm -f '$refused'" EXIT
    fi
    "$@" >&2 || status=$?
    sort -u "$refused"
    return "$status"
}

# Installs the missing ones of the named Debian packages: as root immediately, otherwise with sudo after a question.
# Without a terminal, prints the command to run. Returns 1 if packages are still missing. Their services are not
# started.
install_packages() {
    local missing=() package
    for package in "$@"; do is_installed "$package" || missing+=("$package"); done
    [[ ${#missing[@]} -gt 0 ]] || return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        say "Install these packages, because this machine has no apt-get: ${missing[*]}"
        return 1
    fi
    local elevate=()
    if [[ $EUID -ne 0 ]]; then
        if [[ ! -t 0 || ! -t 2 ]] || ! command -v sudo >/dev/null 2>&1; then
            say "These packages are missing: ${missing[*]}. Please install them first:"
            say "    sudo apt-get update && sudo ${installation[*]} ${missing[*]}"
            return 1
        fi
        local answer
        read -r -p "Install ${missing[*]} with: sudo ${installation[*]} ${missing[*]} ? [Y/n] " answer || return 1
        case $answer in
            '' | [Yy]*) elevate=(sudo) ;;
            *) return 1 ;;
        esac
    fi
    install_now "${missing[@]}"
}
installation=(apt-get install -y --no-remove --no-install-recommends)

# install_now PACKAGE...: installs packages with the command in `elevate`.
install_now() {
    say "Installing $* ..."
    local log services environment=(env DEBIAN_FRONTEND=noninteractive)
    log=$(mktemp)
    # Outdated lists are better than none. The installation reports errors.
    "${elevate[@]}" "${environment[@]}" apt-get update >"$log" 2>&1 || true
    # In one shell, so that sudo asks only once.
    # shellcheck disable=SC2016
    if ! services=$("${elevate[@]}" "${environment[@]}" bash -c "$(declare -f leave_services)"'; leave_services "$@"' - \
        "$service_policy" "${installation[@]}" "$@" 2>>"$log"); then
        tail -n 5 "$log" >&2
        rm -f "$log"
        say "These packages could not be installed: $*"
        return 1
    fi
    rm -f "$log"
    # shellcheck disable=SC2086
    [[ -z $services ]] || say Not started: $services. They start at the next boot unless you disable them with systemctl disable.
}

# Groups of tests by their need for processors. Tests that compute for a long time run in a separate process, because
# they would delay tests that wait for events.
computing='^(SensorFusionTests|MotionEngineTests)\.|\.(HeadingTrialTests|LargeFileTests)[./]'
# Servers that play in real time to clients with their own timeouts also run separately.
timed='^SimulatorTests\.SimulatedServersTests[./]'
