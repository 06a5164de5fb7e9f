#!/bin/sh
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
#
# Feeds random waypoints and positions to SyntheticMotion for a number of seconds (60), and goes those ways.
# Finds stay in this folder as crash-*, and the exit status is not 0.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
# A crash would otherwise leave a backtracer behind that holds the output open for ever.
export SWIFT_BACKTRACE=enable=no
swift build -c release --product FuzzMotion -Xswiftc -sanitize=fuzzer,address
bin=$(swift build -c release --show-bin-path)
swiftc -sanitize=fuzzer,address "$bin/libFuzzMotion.a" -o "$bin/fuzz-motion"
rm -rf .build/seeds-motion
mkdir -p .build/seeds-motion .build/found-motion
printf '048,11,520,3\n48.001,11.001,,,5\n48,11.002\n' >.build/seeds-motion/1
printf '2lon,lat,pause\n-180,90,1\n180;-90\n0 0 \n' >.build/seeds-motion/2
printf '4# there and back\n48,11\n48.01,11\n48,11\n48,11,,,3\n' >.build/seeds-motion/3
{
    printf 1
    for second in 1 2 4 9; do
        printf '{"class":"TPV","mode":3,"time":"2026-01-01T00:00:0%s.000Z","lat":48.00%s,"lon":11,"altMSL":5}\n' \
            $second $second
    done
} >.build/seeds-motion/4
exec "$bin/fuzz-motion" .build/found-motion .build/seeds-motion -max_len=4096 -max_total_time="$seconds" -timeout=10 \
    -rss_limit_mb=1024 -print_final_stats=1
