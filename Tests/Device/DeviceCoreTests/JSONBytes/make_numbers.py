#!/usr/bin/env python3
# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""Writes numbers.tsv: JSON numbers and the bits of Python's float() for them. Run it in this directory."""
import random
import struct
from fractions import Fraction

rng = random.Random(20260101)


def bits(x):
    return struct.unpack('<Q', struct.pack('<d', x))[0]


def double(b):
    return struct.unpack('<d', struct.pack('<Q', b))[0]


def decimal(fraction):
    """Returns all digits of a fraction whose denominator is a power of two."""
    scale = fraction.denominator.bit_length() - 1
    digits = str(fraction.numerator * 5 ** scale)
    if scale == 0:
        return digits
    digits = digits.rjust(scale + 1, '0')
    return digits[:-scale] + '.' + digits[-scale:]


texts = ['0', '-0', '0.0', '-0.0', '0e0', '0e999', '-0e-999', '0.000e5', '1', '-1', '1e0', '1E+2', '1e-2', '1e22', '1e23',
         '1e-22', '1e-23', '9007199254740992', '9007199254740993', '9007199254740994', '9007199254740992e22',
         '9007199254740991e-22', '9007199254740993e-1', '1e308', '1.7976931348623157e308', '1.7976931348623158e308',
         '1.7976931348623159e308', '1e309', '-1e309', '1e999', '1e99999999999999999999', '1e-99999999999999999999',
         '5e-324', '4.9e-324', '2.4703282292062327e-324', '2.4703282292062328e-324', '2.47e-324', '2.5e-324',
         '2.2250738585072014e-308', '2.2250738585072011e-308', '2.225073858507201e-308', '1e-400',
         '18446744073709551615', '18446744073709551616', '18446744073709551610', '1844674407370955161',
         '1844674407370955160.9', '99999999999999999999', '123456789012345678901234567890',
         '0.1234567890123456789012345678901234567890', '0.' + '0' * 400 + '1', '1' + '0' * 400, '1' + '0' * 400 + 'e-400',
         '0.' + '0' * 400 + '1e400', '44.068897833', '-121.314271333', '1123.4000', '-21.400', '0.005', '9.5',
         '9223372036854775807', '-9223372036854775808', '8.5e15', '1e15', '123456e-30', '3e-5', '7.0E5']
for _ in range(120):  # halfway between two adjacent numbers, and one digit to either side
    b = rng.getrandbits(52) | rng.choice([1023, 1024, 1075, 1080, 1000, 960, 1030]) << 52
    middle = (Fraction(double(b)) + Fraction(double(b + 1))) / 2
    text = decimal(middle)
    texts += [text, text + ('1' if '.' in text else '.1'), '-' + text]
for _ in range(60):  # between subnormals, with few digits
    b = rng.getrandbits(rng.randint(1, 52))
    texts += [repr(double(b)), '%.17e' % double(b), '%.25e' % ((double(b) + double(b + 1)) / 2)]
for _ in range(300):  # in the format of gpsd
    texts += ['%.9f' % rng.uniform(-180, 180), '%.4f' % rng.uniform(-500, 9000), '%.3f' % rng.uniform(0, 1000)]
for _ in range(200):  # finite numbers in the shortest form
    x = double(rng.getrandbits(64))
    if x == x and abs(x) != float('inf'):
        texts.append(repr(x))
for _ in range(300):  # any number of digits
    digits = ''.join(rng.choice('0123456789') for _ in range(rng.randint(1, 40)))
    whole = (digits.lstrip('0') or '0') if rng.random() < .5 else '0'
    text = whole + ('.' + digits if rng.random() < .7 else '')
    if rng.random() < .5:
        text += rng.choice('eE') + rng.choice(['', '+', '-']) + str(rng.randint(0, 330))
    texts.append(rng.choice(['', '-']) + text)
with open('numbers.tsv', 'w') as out:
    for text in dict.fromkeys(texts):
        out.write('%s\t%016x\n' % (text, bits(float(text))))
