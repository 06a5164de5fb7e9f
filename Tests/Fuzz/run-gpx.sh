#!/bin/sh
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
#
# Feeds random XML to the readers of GPX and of libiio's contexts for a number of seconds (60).
# Finds stay in this folder as crash-*, and the exit status is not 0.
set -eu
cd "$(dirname "$0")"
seconds=${1:-60}
# A crash would otherwise leave a backtracer behind that holds the output open for ever.
export SWIFT_BACKTRACE=enable=no
swift build -c release --product FuzzGPX -Xswiftc -sanitize=fuzzer,address
bin=$(swift build -c release --show-bin-path)
swiftc -sanitize=fuzzer,address "$bin/libFuzzGPX.a" -o "$bin/fuzz-gpx"
rm -rf .build/seeds-gpx
mkdir -p .build/seeds-gpx .build/found-gpx
point='<trkpt lat="1.5" lon="-2"><ele>3</ele><time>2021-06-16T23:46:05.5Z</time><fix>dgps</fix><sat>7</sat>'
more='<hdop>0.9</hdop><extensions><g:x><g:speed>1</g:speed><g:course>9</g:course></g:x></extensions></trkpt>'
printf '\000<?xml version="1.0"?><gpx><trk><name>a&amp;b</name><trkseg>%s%s</trkseg><trkseg>%s%s</trkseg></trk></gpx>' \
    "$point" "$more" "$point" "$more" >.build/seeds-gpx/1
printf '\011<!DOCTYPE gpx [<!ENTITY e "x">]><gpx><rte><rtept lat="1" lon="2"/><rtept lat="1" lon="3"/></rte><wpt/></gpx>' \
    >.build/seeds-gpx/2
printf '\003<gpx><!-- c --><wpt lat="1" lon="2"><time>2021-06-16T23:46:05+02:00</time><![CDATA[x]]></wpt><wpt lat="&#49;" /></gpx>' \
    >.build/seeds-gpx/3
printf '\000<context name="a"><device id="d"><channel id="accel_x" type="input"><scan-element index="0" format="le:s16/16&gt;&gt;0"/></channel></device></context>' \
    >.build/seeds-gpx/4
exec "$bin/fuzz-gpx" .build/found-gpx .build/seeds-gpx -max_len=4096 -max_total_time="$seconds" -timeout=10 \
    -rss_limit_mb=1024 -print_final_stats=1
