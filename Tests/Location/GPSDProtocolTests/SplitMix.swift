// SPDX-License-Identifier: Apache-2.0

/// A small generator with a fixed seed, so that a failure can be repeated (G. L. Steele and others, "Fast splittable
/// pseudorandom number generators", 2014).
struct SplitMix {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        mixed ^= mixed >> 31
        return Int(truncatingIfNeeded: mixed % UInt64(bound))
    }
}
