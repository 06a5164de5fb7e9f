// SPDX-License-Identifier: Apache-2.0

/// A seeded random number generator, as libFuzzer requires for mutators (SplitMix64).
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt32) { state = UInt64(seed) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value &>> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value &>> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value &>> 31
    }

    /// Returns a number from 0 up to, but not including, the limit. 0 if the limit is not positive.
    mutating func below(_ limit: Int) -> Int { limit > 0 ? Int(next() % UInt64(limit)) : 0 }

    /// True with a probability of 1 in `count`.
    mutating func isOne(in count: Int) -> Bool { below(count) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}

/// libFuzzer's own mutations: bits, bytes, dictionary words, and failed comparisons.
@_silgen_name("LLVMFuzzerMutate")
private func libFuzzerMutate(_ start: UnsafeMutablePointer<UInt8>?, _ count: Int, _ limit: Int) -> Int

/// Mutates bytes as libFuzzer does without knowing their structure, to at most `limit` bytes.
func mutateRaw(_ bytes: inout [UInt8], limit: Int) {
    guard limit > 0 else { return }
    let count = min(bytes.count, limit)
    var room = Array(bytes[..<count]) + [UInt8](repeating: 0, count: limit - count)
    let changed = room.withUnsafeMutableBufferPointer { libFuzzerMutate($0.baseAddress, count, limit) }
    bytes = Array(room[..<min(max(0, changed), limit)])
}

/// Mutates a list of any elements: removes or duplicates one, swaps two, or moves the tail to the front.
func mutateList<Element>(_ list: inout [Element], _ dice: inout Dice) {
    guard !list.isEmpty else { return }
    let (place, other) = (dice.below(list.count), dice.below(list.count))
    switch dice.below(5) {
    case 0: list.remove(at: place)
    case 1: list.insert(list[place], at: other)
    case 2: list.swapAt(place, other)
    case 3: list = Array(list[place...] + list[..<place])
    default: list.insert(contentsOf: repeatElement(list[place], count: 1 + dice.below(3)), at: place)
    }
}

/// Mutates bytes by their structure. A result beyond the limit is truncated.
typealias Mutator = @Sendable (_ bytes: inout [UInt8], _ dice: inout Dice, _ limit: Int) -> Void
