#!/bin/sh
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
#
# Applies the real udev rules to devices, in private mount and network namespaces: run it with "unshare -m -n". The host
# is not affected, because udev's files, its database and the nodes are private, too, and udevd ends with this script.
#
#   rules.sh mock RULES DESCRIPTION           prints the effect of the rules on each device of a umockdev description
#   rules.sh hwdb RULES DESCRIPTION HWDB [MODALIAS]...
#                                             the same with this file in the hardware database; before that, the
#                                             response of the database for each modalias
#   rules.sh udevd RULES TTY MORE PROGRAM [ARGUMENT]...
#                                             runs udevd with these rules and the line MORE, sends a message about a
#                                             virtual tty, and then runs PROGRAM
#
# RULES is 65-external-accessory.rules under any name, or a directory with several files.
set -eu
mode=$1 rules=$2
mount --make-rprivate /
# Not in TMPDIR, because /run and /dev are replaced by others below.
stage=$(mktemp -d /tmp/udev-test.XXXXXX)
mount -t tmpfs none "$stage"
# Only our rules, and the system's rules on which they depend.
for name in 50-udev-default.rules 60-serial.rules; do
    cp "/usr/lib/udev/rules.d/$name" "$stage/"
done
mkdir "$stage/dev"
mount -t tmpfs none "$stage/dev"
mknod -m 666 "$stage/dev/null" c 1 3
# umockdev connects a terminal to each tty.
mkdir "$stage/dev/pts"
ln -s pts/ptmx "$stage/dev/ptmx"
mount -t tmpfs none /usr/lib/udev/rules.d
mv "$stage"/*.rules /usr/lib/udev/rules.d/
mount -t tmpfs none /usr/lib/udev/hwdb.d
mount -t tmpfs none /etc/udev
mkdir /etc/udev/rules.d /etc/udev/hwdb.d
if [ -d "$rules" ]; then
    cp "$rules"/*.rules /etc/udev/rules.d/
else
    cp "$rules" /etc/udev/rules.d/65-external-accessory.rules
fi
if [ "$mode" = hwdb ]; then cp "$4" /etc/udev/hwdb.d/65-external-accessory.hwdb; fi
if [ "$mode" = udevd ]; then
    tty=$3 more=$4
    shift 4
    mknod -m 600 "$stage/dev/$tty" c 4 "${tty#tty}"
fi
mount -t tmpfs none /run
mkdir -p /run/udev
mount --move "$stage/dev" /dev
mount -t devpts -o newinstance,ptmxmode=0666 none /dev/pts
umount "$stage"
rmdir "$stage"

if [ "$mode" != udevd ]; then
    description=$3
    if [ "$mode" = hwdb ]; then
        shift 4
        # An unreadable line is reported with the file's name, but is not a failure.
        systemd-hwdb update 2>&1
        for modalias; do
            echo "modalias $modalias"
            systemd-hwdb query "$modalias"
        done
    fi
    # A device precedes its children, which use properties of its record. The output of "test" is the effect of the
    # rules, the record is the view of other programs.
    # shellcheck disable=SC2016
    exec umockdev-run -d "$description" -- sh -c '
        find /sys/devices -name uevent | sed "s,/uevent\$,," | sort | while read -r device; do
            echo "device $device"
            udevadm test --action=add "$device" 2>&1 || true
            udevadm info --query=property "$device" | sed "s/^/record /"
        done'
fi

printf '%s\n' "$more" >/etc/udev/rules.d/62-test.rules
/usr/lib/systemd/systemd-udevd >/dev/null 2>&1 &
udevd=$!
trap 'kill "$udevd" 2>/dev/null; wait "$udevd" 2>/dev/null || true' EXIT
trap 'exit 1' INT TERM
# udevd creates its socket when it can receive messages.
until [ -e /run/udev/control ]; do
    kill -0 "$udevd"
    sleep 0.05
done
udevadm control --ping --timeout=60
echo add >"/sys/class/tty/$tty/uevent"
udevadm settle --timeout=60
udevadm info --query=property "/sys/class/tty/$tty"
sed 's/^/record /' "/run/udev/data/c4:${tty#tty}"
stat -c 'node %U:%G %a' "/dev/$tty"
"$@" </dev/null
