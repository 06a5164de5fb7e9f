#!/bin/sh
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
#
# Feeds random requests, grown from those that a real gpsd was sent, to the simulated gpsd for a number of seconds (60).
# Finds stay in this folder as crash-*, and the exit status is not 0.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
# A crash would otherwise leave a backtracer behind that holds the output open for ever.
export SWIFT_BACKTRACE=enable=no
swift build -c release --product FuzzGPSDServer -Xswiftc -sanitize=fuzzer,address
bin=$(swift build -c release --show-bin-path)
swiftc -sanitize=fuzzer,address "$bin/libFuzzGPSDServer.a" -o "$bin/fuzz-gpsd-server"
rm -rf .build/seeds-server
mkdir -p .build/seeds-server .build/found-server
python3 - .build/seeds-server <<'END'
import json, sys
lines = open("../Simulators/GPSDSimulatorTests/gpsd-3.22-dialogue.jsonl")
for number, line in enumerate(lines):
    sent = "\0".join(step[0] for step in json.loads(line)["steps"][1:])
    open(f"{sys.argv[1]}/{number}", "wb").write(sent.encode("latin1"))
END
printf 'unplug(/dev/a)@1.5s,half=300ms@#10,garbage=9,version=2.9' >.build/seeds-server/faults
exec "$bin/fuzz-gpsd-server" .build/found-server .build/seeds-server -max_len=20000 -max_total_time="$seconds" \
    -timeout=10 -rss_limit_mb=1024 -print_final_stats=1
