// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// A recorded session and the current program's progress in it. The program may be ahead of or behind the recording.
struct RecordedDialogue: Sendable {
    /// Bytes that the accessory sent in the recording. `after` is the number of bytes that the recorded program had
    /// already written by then.
    private struct Input: Sendable {
        var bytes: [UInt8]
        var start = 0
        var after: Int64
    }

    struct Mismatch: Sendable {
        var kind: AccessoryDifference.Kind
        var offset: Int64 = 0
        var expected: [UInt8] = []
        var found: [UInt8] = []
    }

    static let maximumPendingBytes = 1 << 20
    let number: Int
    var isRecorded = false
    private(set) var recordedEnd: ByteChannelEnd.Reason?
    var isOpened = false
    /// True if the program's session has ended.
    private(set) var isClosed = false
    private var input = FIFOQueue<Input>()
    private(set) var pendingInputCount = 0
    /// The number of bytes from the accessory that were lost because the program had closed the session.
    private var lostInput = 0
    private var droppedInput = 0
    /// The bytes that the program wrote in the recording, in chunks as recorded. Bytes that have already been compared
    /// are removed.
    private var expected = FIFOQueue<[UInt8]>()
    private var expectedCount = 0
    /// The bytes that the program has written. Bytes that have already been compared are removed.
    private var found = FIFOQueue<UInt8>()
    /// The number of compared bytes.
    private var offset: Int64 = 0
    /// The total number of bytes that the program wrote in the recording.
    private var recordedCount: Int64 = 0
    private var writtenCount: Int64 = 0
    /// False once the comparison has been abandoned because one side was too far ahead of the other.
    private var isComparing = true
    private var mismatches: [Mismatch] = []

    init(number: Int) { self.number = number }

    mutating func record(input bytes: [UInt8]) {
        isRecorded = true
        guard !bytes.isEmpty else { return }
        guard !isClosed else {
            lostInput += bytes.count
            return
        }
        input.append(Input(bytes: bytes, after: recordedCount))
        pendingInputCount += bytes.count
    }

    mutating func record(output bytes: [UInt8]) {
        isRecorded = true
        guard !bytes.isEmpty else { return }
        recordedCount += Int64(bytes.count)
        guard isComparing else { return }
        expected.append(bytes)
        expectedCount += bytes.count
        compare()
    }

    mutating func record(end reason: ByteChannelEnd.Reason) {
        isRecorded = true
        if recordedEnd == nil { recordedEnd = reason }
    }

    mutating func write(_ bytes: [UInt8]) {
        writtenCount += Int64(bytes.count)
        guard isComparing else { return }
        found.append(contentsOf: bytes)
        compare()
    }

    /// Marks the session as closed. Pending input counts as lost.
    mutating func close() {
        isClosed = true
        lostInput += pendingInputCount
        input.removeAll()
        pendingInputCount = 0
    }

    /// The next bytes for the program. Empty if no bytes are available yet.
    var nextInput: ArraySlice<UInt8> {
        guard let first = input.first, first.after <= writtenCount else { return [] }
        return first.bytes[first.start...]
    }

    mutating func consumeInput(_ count: Int) {
        guard var first = input.first else { return }
        first.start += count
        pendingInputCount -= count
        if first.start >= first.bytes.count { input.removeFirst() } else { input.first = first }
    }

    /// The reason why the accessory must end the session now, or nil if the session continues.
    var dueEnd: ByteChannelEnd.Reason? {
        // If the recorded session ended because the accessory was detached, the session ends when the accessory is
        // detached during playback.
        guard let recordedEnd, recordedEnd != .closed, recordedEnd != .detached, input.count == 0,
            writtenCount >= recordedCount
        else { return nil }
        return recordedEnd
    }

    mutating func drop(_ count: Int) {
        var rest = min(count, pendingInputCount)
        droppedInput += rest
        pendingInputCount -= rest
        while rest > 0, var first = input.first {
            let part = min(rest, first.bytes.count - first.start)
            first.start += part
            rest -= part
            if first.start >= first.bytes.count { input.removeFirst() } else { input.first = first }
        }
    }

    /// True if the program's session and its recording have both ended, so no more bytes are added.
    var isFinished: Bool { isClosed && recordedEnd != nil }

    mutating func drainMismatches() -> [Mismatch] { exchange(&mismatches, with: []) }

    /// Returns the differences that would be reported if playback ended now.
    func outstanding() -> [Mismatch] {
        var outstandingMismatches: [Mismatch] = []
        if isRecorded, !isOpened {
            outstandingMismatches.append(Mismatch(kind: .notOpened))
        } else {
            var rest = self
            rest.compareRest()
            outstandingMismatches += rest.mismatches
        }
        if droppedInput > 0 { outstandingMismatches.append(Mismatch(kind: .dropped(droppedInput))) }
        let missing = lostInput + pendingInputCount
        if missing > 0, isOpened { outstandingMismatches.append(Mismatch(kind: .notRead(missing))) }
        return outstandingMismatches
    }

    /// Compares complete recorded chunks, so that a reported difference contains the entire chunk.
    private mutating func compare() {
        while let piece = expected.first, found.count >= piece.count {
            compare(piece, found.elements.prefix(piece.count))
            expected.removeFirst()
            expectedCount -= piece.count
            found.removeFirst(piece.count)
            offset += Int64(piece.count)
        }
        if expectedCount > Self.maximumPendingBytes || found.count > Self.maximumPendingBytes {
            compareRest()
            isComparing = false
        }
    }

    private mutating func compareRest() {
        compare(expected.elements.flatMap { $0 }, found.elements)
        expected.removeAll()
        expectedCount = 0
        found.removeAll()
    }

    private mutating func compare(_ expected: [UInt8], _ found: ArraySlice<UInt8>) {
        guard !found.elementsEqual(expected), mismatches.count < AccessoryDifferenceList.maximumCount else { return }
        let same = zip(expected, found).prefix { $0 == $1 }.count
        mismatches.append(
            Mismatch(
                kind: .bytes, offset: offset + Int64(same),
                expected: Array(expected.dropFirst(same).prefix(AccessoryDifference.maximumBytes)),
                found: Array(found.dropFirst(same).prefix(AccessoryDifference.maximumBytes))))
    }
}
