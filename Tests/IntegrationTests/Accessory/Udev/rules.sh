#!/bin/sh
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
#
# Lets the real rules of udev work on devices, in private namespaces of mounts and networks: to be run by
# "unshare -m -n". The host sees nothing of it, for udev's files, its database and the nodes are private too, and udevd
# ends with this script.
#
#   rules.sh mock RULES DESCRIPTION           what the rules say of each device of a umockdev description
#   rules.sh hwdb RULES DESCRIPTION HWDB [MODALIAS]...
#                                             the same with that file in the hardware database; before it, what the
#                                             database answers for each modalias
#   rules.sh udevd RULES TTY MORE PROGRAM [ARGUMENT]...
#                                             udevd runs with those rules and the line MORE; a message about a virtual tty
#                                             is sent; then PROGRAM runs
#
# RULES is 65-external-accessory.rules under any name, or a folder with several files.
set -eu
mode=$1 rules=$2
mount --make-rprivate /
# Not where TMPDIR says: /run and /dev get others in their places below.
stage=$(mktemp -d /tmp/udev-test.XXXXXX)
mount -t tmpfs none "$stage"
# Only our rules, and those of the system that ours build on.
for name in 50-udev-default.rules 60-serial.rules; do
    cp "/usr/lib/udev/rules.d/$name" "$stage/"
done
mkdir "$stage/dev"
mount -t tmpfs none "$stage/dev"
mknod -m 666 "$stage/dev/null" c 1 3
# umockdev puts a terminal behind each tty.
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
        # A line that it cannot read is told with the file's name, and no failure.
        systemd-hwdb update 2>&1
        for modalias; do
            echo "modalias $modalias"
            systemd-hwdb query "$modalias"
        done
    fi
    # A device comes before its children, which take properties over from its record. The answer of "test" is what the
    # rules say, the record is what other programs see.
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
# It makes its socket when it can take messages.
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
