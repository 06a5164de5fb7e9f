// SPDX-License-Identifier: Apache-2.0

import AccessorySimulator
import UmockdevFormat

/// Plays the program's part in a recorded dialogue and compares the accessory's answers with the recorded ones.
struct DialoguePlayer {
    struct Difference: Equatable {
        var step: Int
        /// The positions of the first byte that differs: `offset` within the step, and `total` among all received
        /// bytes.
        var offset, total: Int
        /// The expected and received bytes, starting with the first that differs.
        var expected, found: [UInt8]

        var message: String {
            "Step \(step), byte \(offset) (byte \(total) of all answers): received \(UmockdevPeer.escapedText(found)) instead of "
                + "\(UmockdevPeer.escapedText(expected))."
        }
    }

    /// The maximum number of bytes to store if the accessory sends its answer earlier than expected.
    private static let maximumEarly = 65_536

    private let steps: [UmockdevScript.Step]
    private var next = 0
    /// The number of the current step's bytes that have been sent or received.
    private var done = 0
    private var earlyBytes: [UInt8] = []
    private(set) var sentByteCount = 0
    private(set) var receivedByteCount = 0

    init(_ script: UmockdevScript) {
        steps = script.steps
        skip()
    }

    /// The number of the current step, starting at 1.
    var step: Int { next + 1 }

    /// True at the end of the dialogue. Bytes received later are not compared.
    var isFinished: Bool { next >= steps.count }

    var wantsInput: Bool { earlyBytes.count < Self.maximumEarly }

    /// The bytes still to be sent, or an empty slice while the player waits for an answer.
    var pending: ArraySlice<UInt8> {
        guard !isFinished, case .write(_, let bytes) = steps[next] else { return [] }
        return bytes[done...]
    }

    /// The rest of the expected answer, or nil if no answer is expected.
    var expectedAnswer: (missing: ArraySlice<UInt8>, milliseconds: UInt32)? {
        guard !isFinished, case .read(let milliseconds, let bytes) = steps[next] else { return nil }
        return (bytes[done...], milliseconds)
    }

    /// Updates the state after `count` bytes have been sent. If an answer is expected next, compares it with any bytes
    /// that the accessory has already sent. Returns the first difference, or nil if there is none.
    mutating func recordSent(_ count: Int) -> Difference? {
        sentByteCount += count
        advance(by: count)
        guard expectedAnswer != nil, !earlyBytes.isEmpty else { return nil }
        let bytes = earlyBytes
        earlyBytes = []
        return compare(bytes)
    }

    /// Compares received bytes with the expected answers. Returns the first difference, or nil if there is none.
    mutating func compare(_ bytes: [UInt8]) -> Difference? {
        var rest = bytes[...]
        while let (missing, _) = expectedAnswer, !rest.isEmpty {
            let count = min(rest.count, missing.count)
            if let index = zip(missing, rest).enumerated().first(where: { $1.0 != $1.1 })?.offset {
                return Difference(
                    step: step, offset: done + index, total: receivedByteCount + index,
                    expected: Array(missing.dropFirst(index)), found: Array(rest.dropFirst(index)))
            }
            rest = rest.dropFirst(count)
            receivedByteCount += count
            advance(by: count)
        }
        if !isFinished { earlyBytes += rest }
        return nil
    }

    private mutating func advance(by count: Int) {
        done += count
        switch isFinished ? nil : steps[next] {
        case .read(_, let bytes), .write(_, let bytes): if done < bytes.count { return }
        case .fuzz, nil: return
        }
        next += 1
        done = 0
        skip()
    }

    /// Skips `fuzz` steps. They allow the program's bytes to differ from the recording, but this player sends exactly
    /// the bytes recorded.
    private mutating func skip() { while !isFinished, case .fuzz = steps[next] { next += 1 } }
}
