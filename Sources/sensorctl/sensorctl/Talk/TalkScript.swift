// SPDX-License-Identifier: Apache-2.0

import AccessorySimulator
import UmockdevFormat

/// Where a recorded dialogue has come to, seen from the program: what it wrote is said again, what it read is compared.
struct TalkScript {
    /// The first byte that is another than the recorded one.
    struct Difference: Equatable {
        /// The step in the recording, counted from 1.
        var step: Int
        /// The place in the bytes of the step, and in all that was read in the recording.
        var offset, total: Int
        /// What the step has from there on, and what came in its place.
        var expected, found: [UInt8]

        var message: String {
            "Step \(step), byte \(offset) (byte \(total) of all answers): \(UmockdevPeer.shown(found)) in place of "
                + "\(UmockdevPeer.shown(expected))."
        }
    }

    /// More is not taken before it is its turn.
    private static let maximumEarly = 65_536

    private let steps: [UmockdevScript.Step]
    private var next = 0
    /// How much of the step has been written or has come.
    private var done = 0
    /// What has come before it was its turn.
    private var early: [UInt8] = []
    private(set) var bytesSaid = 0
    private(set) var bytesHeard = 0

    init(_ script: UmockdevScript) {
        steps = script.steps
        skip()
    }

    /// The step that is under way, counted from 1.
    var step: Int { next + 1 }

    /// True when the dialogue is through. What the accessory says afterwards is not compared.
    var isOver: Bool { next >= steps.count }

    /// True while more may come in.
    var isWanted: Bool { early.count < Self.maximumEarly }

    /// What is to be said now; empty while an answer is awaited.
    var pending: ArraySlice<UInt8> {
        guard !isOver, case .write(_, let bytes) = steps[next] else { return [] }
        return bytes[done...]
    }

    /// The answer that is awaited, as far as it is missing, and how many milliseconds it took in the recording.
    var awaited: (missing: ArraySlice<UInt8>, milliseconds: UInt32)? {
        guard !isOver, case .read(let milliseconds, let bytes) = steps[next] else { return nil }
        return (bytes[done...], milliseconds)
    }

    /// So much of `pending` has been said; what came too early is compared when it is its turn.
    mutating func said(_ count: Int) -> Difference? {
        bytesSaid += count
        advance(by: count)
        guard awaited != nil, !early.isEmpty else { return nil }
        let bytes = early
        early = []
        return heard(bytes)
    }

    /// The accessory has said that.
    mutating func heard(_ bytes: [UInt8]) -> Difference? {
        var rest = bytes[...]
        while let (missing, _) = awaited, !rest.isEmpty {
            let count = min(rest.count, missing.count)
            if let place = zip(missing, rest).enumerated().first(where: { $1.0 != $1.1 })?.offset {
                return Difference(
                    step: step, offset: done + place, total: bytesHeard + place,
                    expected: Array(missing.dropFirst(place)), found: Array(rest.dropFirst(place)))
            }
            rest = rest.dropFirst(count)
            bytesHeard += count
            advance(by: count)
        }
        if !isOver { early += rest }
        return nil
    }

    private mutating func advance(by count: Int) {
        done += count
        switch isOver ? nil : steps[next] {
        case .read(_, let bytes), .write(_, let bytes): if done < bytes.count { return }
        case .fuzz, nil: return
        }
        next += 1
        done = 0
        skip()
    }

    /// How far a program may depart from its own words says nothing about the accessory's.
    private mutating func skip() {
        while !isOver, case .fuzz = steps[next] { next += 1 }
    }
}
