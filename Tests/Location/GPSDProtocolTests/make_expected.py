#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Writes expected.tsv: the values that Python's json reads in each line of Simulators/Traces/gpsd/*.chk. Run it in this
directory.

Each row: file, line number, class, and the FNV-1a hash of all values in the order below, each as 8 bytes, least significant
first: numbers as IEEE 754 bits (NaN if absent); integers, flags and times (nanoseconds since 1970) as two's complement.
"""
import calendar
import glob
import json
import os
import re
import struct

NAN = 0x7ff8000000000000
TPV = ['ept', 'lat', 'lon', 'altHAE', 'altMSL', 'alt', 'geoidSep', 'epx', 'epy', 'epv', 'eph', 'sep', 'track', 'magtrack',
       'magvar', 'speed', 'climb', 'epd', 'eps', 'epc', 'velN', 'velE', 'velD', 'depth', 'dgpsAge']
SKY = ['hdop', 'vdop', 'pdop', 'tdop', 'gdop', 'xdop', 'ydop']
ATT = ['heading', 'mheading', 'pitch', 'roll', 'yaw', 'dip', 'rot', 'mag_x', 'mag_y', 'mag_z', 'acc_x', 'acc_y', 'acc_z',
       'gyro_x', 'gyro_y', 'gyro_z']


def real(d, key):
    return struct.unpack('<Q', struct.pack('<d', float(d[key])))[0] if key in d else NAN


def whole(d, key, absent=-1):
    return d.get(key, absent)


def time(d):
    if 'time' not in d:
        return -1 << 63
    y, mo, da, h, mi, s, f = re.fullmatch(r'(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)(?:\.(\d+))?Z', d['time']).groups('')
    seconds = calendar.timegm((int(y), int(mo), int(da), int(h), int(mi), int(s)))
    return seconds * 10**9 + int(f.ljust(9, '0')[:9])


def values(d):
    kind = d['class']
    if kind == 'TPV':
        return [d['mode'], whole(d, 'status', 0), time(d)] + [real(d, k) for k in TPV] + [
            whole(d, 'dgpsSta'), whole(d, 'leapseconds')]
    if kind == 'SKY':
        result = [time(d)] + [real(d, k) for k in SKY] + [whole(d, 'nSat'), whole(d, 'uSat')]
        result.append(len(d['satellites']) if 'satellites' in d else -1)
        for s in d.get('satellites', []):
            result += [whole(s, 'PRN', 0), real(s, 'el'), real(s, 'az'), real(s, 'ss'), int(s['used']),
                       whole(s, 'gnssid'), whole(s, 'svid'), whole(s, 'sigid'), whole(s, 'freqid'), whole(s, 'health')]
        return result
    if kind == 'ATT':
        return [time(d)] + [real(d, k) for k in ATT]
    return []


def digest(words):
    value = 0xcbf29ce484222325
    for word in words:
        for byte in (word & (1 << 64) - 1).to_bytes(8, 'little'):
            value = (value ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return '%016x' % value


root = '../../../Simulators/Traces/gpsd/'
with open('expected.tsv', 'w') as out:
    for path in sorted(glob.glob(root + '*.chk')):
        for number, line in enumerate(open(path, 'rb').read().split(b'\n'), 1):
            if line.startswith(b'{'):
                d = json.loads(line.decode('utf-8', 'replace'))
                out.write('%s\t%d\t%s\t%s\n' % (os.path.basename(path), number, d['class'], digest(values(d))))
