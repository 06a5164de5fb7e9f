#!/bin/sh
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
#
# Feeds random formats, scales, matrices, rates and scans to IIOFormat for a number of seconds (60).
# Finds stay in this folder as crash-*, and the exit status is not 0.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
# A crash would otherwise leave a backtracer behind that holds the output open for ever.
export SWIFT_BACKTRACE=enable=no
swift build -c release --product FuzzIIO -Xswiftc -sanitize=fuzzer,address
bin=$(swift build -c release --show-bin-path)
swiftc -sanitize=fuzzer,address "$bin/libFuzzIIO.a" -o "$bin/fuzz-iio"
rm -rf .build/seeds-iio
mkdir -p .build/seeds-iio .build/found-iio
seed() { printf '%s\n%s\n%s\n%s\n%s\n%s\n%064d' "$2" "$3" "$4" "$5" "$6" "$7" 0 >".build/seeds-iio/$1"; }
seed 1 'be:S16/16>>0' 0.000598 0 '0, 1, 0; 1, 0, 0; 0, 0, -1' '10 20 50 100' iio:device0/input/accel_x/scale
seed 2 'le:s12/16>>4' 0.009577 -1.5 '0, 0, 0; 0, 0, 0; 0, 0, 0' '[1 0.5 400]' mpu6050
seed 3 'le:u20/32X4>>4' 1e-3 nan '1, 0; 0, 1' ERROR iio:device0/buffer/x
exec "$bin/fuzz-iio" .build/found-iio .build/seeds-iio -max_len=4096 -max_total_time="$seconds" -timeout=10 \
    -rss_limit_mb=1024 -print_final_stats=1
