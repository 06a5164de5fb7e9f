#!/bin/sh
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
#
# Lets the real rules of udev work on devices, in private namespaces of mounts and networks: to be run by
# "unshare -m -n". The host sees nothing of it, and udevd ends with this script.
#
#   rules.sh mock RULES DESCRIPTION           what the rules say of each device of a umockdev description
#   rules.sh udevd RULES TTY MORE PROGRAM     udevd runs with those rules and the line MORE; a message about a virtual tty
#                                             is sent; then PROGRAM runs
set -eu
mode=$1 rules=$2
mount --make-rprivate /
# Only our rules, and those of the system that ours build on.
mount -t tmpfs none /usr/lib/udev/rules.d
mount -t tmpfs none /etc/udev/rules.d
cp "$rules" /etc/udev/rules.d/65-external-accessory.rules
echo 'SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", IMPORT{builtin}="usb_id"' >/etc/udev/rules.d/50-usb-id.rules

if [ "$mode" = mock ]; then
    # shellcheck disable=SC2016
    exec umockdev-run -d "$3" -- sh -c '
        find /sys/devices -name uevent | sort | while read -r file; do
            echo "device ${file%/uevent}"
            udevadm test --action=add "${file%/uevent}" 2>&1 || true
        done'
fi

tty=$3 more=$4 program=$5
printf '%s\n' "$more" >/etc/udev/rules.d/62-test.rules
mount -t tmpfs none /run
mkdir -p /run/udev
mkdir /tmp/udev-test.$$
mount -t tmpfs none /tmp/udev-test.$$
mknod -m 666 /tmp/udev-test.$$/null c 1 3
mknod -m 600 "/tmp/udev-test.$$/$tty" c 4 "${tty#tty}"
mount --move /tmp/udev-test.$$ /dev
rmdir /tmp/udev-test.$$
/usr/lib/systemd/systemd-udevd >/dev/null 2>&1 &
udevd=$!
trap 'kill "$udevd" 2>/dev/null; wait "$udevd" 2>/dev/null || true' EXIT
trap 'exit 1' INT TERM
# It makes its socket when it can take messages.
until [ -e /run/udev/control ]; do
    kill -0 "$udevd"
    sleep 0.05
done
udevadm control --ping --timeout=60
echo add >"/sys/class/tty/$tty/uevent"
udevadm settle --timeout=60
udevadm info --query=property "/sys/class/tty/$tty"
stat -c 'node %U:%G %a' "/dev/$tty"
"$program" </dev/null
