#!/bin/sh
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
#
# Feeds random bytes, grown from the recorded reports, to the gpsd framer and decoder for a number of seconds (60).
# Finds stay in this folder as crash-*, and the exit status is not 0.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
# A crash would otherwise leave a backtracer behind that holds the output open for ever.
export SWIFT_BACKTRACE=enable=no
swift build -c release --product FuzzGPSD -Xswiftc -sanitize=fuzzer,address
bin=$(swift build -c release --show-bin-path)
swiftc -sanitize=fuzzer,address "$bin/libFuzzGPSD.a" -o "$bin/fuzz-gpsd"
# One seed a line of the corpus: the byte "@" asks for pieces of 64 bytes.
rm -rf .build/seeds
mkdir -p .build/seeds .build/found
cat ../../Simulators/Traces/gpsd/*.chk | grep -a '^{' | awk '!seen[length($0) % 400 $2]++' |
    while IFS= read -r line; do
        count=$((${count:-0} + 1))
        printf '@%s\r\n' "$line" >".build/seeds/$count"
    done
exec "$bin/fuzz-gpsd" .build/found .build/seeds -dict=gpsd.dict -max_len=8192 -max_total_time="$seconds" -timeout=10 \
    -rss_limit_mb=1024 -print_final_stats=1
