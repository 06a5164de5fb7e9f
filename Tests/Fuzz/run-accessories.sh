#!/bin/sh
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
#
# Feeds random files of accessories, descriptors and strings of USB devices to DeviceCore for a number of seconds (60).
# Finds stay in this folder as crash-*, and the exit status is not 0.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
# A crash would otherwise leave a backtracer behind that holds the output open for ever.
export SWIFT_BACKTRACE=enable=no
swift build -c release --product FuzzAccessories -Xswiftc -sanitize=fuzzer,address
bin=$(swift build -c release --show-bin-path)
swiftc -sanitize=fuzzer,address "$bin/libFuzzAccessories.a" -o "$bin/fuzz-accessories"
rm -rf .build/seeds-accessories
mkdir -p .build/seeds-accessories .build/found-accessories
printf '%s' '{"name":"A","port":"p","serial":"1","protocols":{"com.a":{"tty":"/dev/t","speed":9600,"dtr":"leave"}}}' \
    >.build/seeds-accessories/tty
printf '%s' '{"name":"B","protocols":{"com.b":{"socket":"s"},"com.c":{"hidraw":"/h","reportLength":64}}}' \
    >.build/seeds-accessories/other
# The descriptors of the devices that are described.
grep -h '^H: descriptors=' ../../Simulators/Traces/udev/*.umockdev | cut -d= -f2 | while IFS= read -r line; do
    count=$((${count:-0} + 1))
    printf '%b' "$(printf '%s' "$line" | sed 's/../\\x&/g')" >".build/seeds-accessories/$count"
done
exec "$bin/fuzz-accessories" .build/found-accessories .build/seeds-accessories -max_len=4096 \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1
