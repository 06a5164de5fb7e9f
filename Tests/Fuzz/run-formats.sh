#!/bin/sh
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
#
# Feeds random bytes, grown from receivers' logs and small MCAP files, to the readers of other programs' recordings for a
# number of seconds (60). Finds stay in this folder as crash-*, and the exit status is not 0.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
# A crash would otherwise leave a backtracer behind that holds the output open for ever.
export SWIFT_BACKTRACE=enable=no
swift build -c release --product FuzzFormats -Xswiftc -sanitize=fuzzer,address
bin=$(swift build -c release --show-bin-path)
swiftc -sanitize=fuzzer,address "$bin/libFuzzFormats.a" -o "$bin/fuzz-formats"
rm -rf .build/seeds-formats
mkdir -p .build/seeds-formats .build/found-formats
for log in ../../Simulators/Traces/gpsd/*.log; do
    name=$(basename "$log")
    grep -a '^[$#]' "$log" | head -n 30 >".build/seeds-formats/$name"
    # The smallest parts, so that a change hits a field.
    grep -a '^\$' "$log" | awk -F, '!seen[$1]++' | while IFS= read -r line; do
        count=$((${count:-0} + 1))
        printf '%s\n' "$line" >".build/seeds-formats/$name-$count"
    done
done
printf '%s\n' '{"format":"device-services-expectations","version":1,"options":{"o":"x"},"tolerances":{"a":{"absolute":9,"relative":1,"circle":360},"b":{"rotation":360},"c":{"absolute":1e9}}}' \
    '{"a":1,"b":[0,0,0,1],"c":"2026-05-01T10:00:00Z"}' '{"a":2,"b":[0,0,1,0],"c":"2026-05-01T10:00:01.5Z"}' \
    >.build/seeds-formats/expectations
# MCAP files without their magic bytes, which the fuzzer puts in front.
python3 make_mcap.py .build/seeds-formats || echo "No python3: MCAP begins without seeds." >&2
cp ../../Simulators/Traces/udev/*.script ../../Simulators/Traces/udev/weigh-scale.umockdev .build/seeds-formats/
seed() { printf "$2" >".build/seeds-formats/table-$1"; }
seed phyphox '"Time (s)";"Acceleration x (m/s^2)";"Acceleration y (m/s^2)";"Acceleration z (m/s^2)"\n1,5E0;NaN;2;3\n2,5E0;1;2;3\n'
seed place '"Time (s)","Latitude (°)","Longitude (°)","Height (m)","Velocity (m/s)","Vertical Accuracy (°)","Satellites"\n1,50,6,100,5,3,7\n'
seed clock '"event","experiment time","system time"\n"START",0,1700000000\n"PAUSE",5,1700000005\n"START",5,1700000009\n'
seed logger 'time,seconds_elapsed,z,y,x\n1700000000000000000,0.5,1,2,3\n'
seed location 'time,horizontalAccuracy,speed,altitude,longitude,latitude\n1700000000000000000,5,-1,100,6,50\n'
seed battery 'time,batteryLevel,batteryState\n1700000000000000000,0.5,full\n'
seed metadata 'version,recording epoch time,platform,standardisation\n3,1700000000000,android,false\n'
seed named 't,ax,ay,az,lat,lon,v,m,n\n1,0,0,-1,50,6,36,3,7\n'
seed numbered '2026-11-21T10:00:00Z;1;2;3;500000000;60000000\n'
seed map 'time=t:ms,accel.x="a,b":-g,accel.y=#2,accel.z=z:mg,lat=a,lon=b,separator=tab'
exec "$bin/fuzz-formats" .build/found-formats .build/seeds-formats -max_len=8192 -max_total_time="$seconds" \
    -timeout=10 -rss_limit_mb=1024 -print_final_stats=1
