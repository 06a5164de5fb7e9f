// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// One session as it was recorded, and how far the program has come in it.
///
/// Either side may be ahead of the other: the recording when the program does not write or read, the program when it does
/// something before its recorded time.
struct RecordedDialogue: Sendable {
    /// Bytes of the accessory, and how many the program had written when it read them.
    private struct Input: Sendable {
        var bytes: [UInt8]
        var start = 0
        var after: Int64
    }

    /// What is different, as a difference tells it.
    struct Finding: Sendable {
        var kind: AccessoryDifference.Kind
        var offset: Int64 = 0
        var expected: [UInt8] = []
        var found: [UInt8] = []
    }

    /// How much of one direction waits for the other side.
    static let maximumWaiting = 1 << 20

    /// Which session it is, counted from 1.
    let number: Int
    /// True when the recording speaks of it.
    var isRecorded = false
    private(set) var recordedEnd: ByteChannelEnd.Reason?
    var isOpened = false
    /// True when the program's session is over.
    private(set) var isClosed = false

    private var input = Backlog<Input>()
    /// Bytes in `input`.
    private(set) var waitingInput = 0
    /// Bytes of the accessory that the program will not read.
    private var lostInput = 0
    private var droppedInput = 0

    /// What was recorded as written and not compared yet, in the pieces in which it was written.
    private var expected = Backlog<[UInt8]>()
    private var expectedCount = 0
    /// What the program wrote and was not compared yet.
    private var found = Backlog<UInt8>()
    /// How much was compared.
    private var offset: Int64 = 0
    /// All bytes that were recorded as written so far.
    private var recordedCount: Int64 = 0
    /// All bytes that the program wrote so far.
    private var writtenCount: Int64 = 0
    /// False when one side is so far ahead that it makes no sense.
    private var isComparing = true

    /// What was noticed and not fetched yet.
    private var mismatches: [Finding] = []

    init(number: Int) { self.number = number }

    mutating func record(input bytes: [UInt8]) {
        isRecorded = true
        guard !bytes.isEmpty else { return }
        guard !isClosed else {
            lostInput += bytes.count
            return
        }
        input.append(Input(bytes: bytes, after: recordedCount))
        waitingInput += bytes.count
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

    /// The program's session is over: what it has not been given it will never read.
    mutating func close() {
        isClosed = true
        lostInput += waitingInput
        input.removeAll()
        waitingInput = 0
    }

    /// The bytes that are to be handed to the program next; empty when there are none now.
    var nextInput: ArraySlice<UInt8> {
        guard let first = input.first, first.after <= writtenCount else { return [] }
        return first.bytes[first.start...]
    }

    mutating func handedOver(_ count: Int) {
        guard var first = input.first else { return }
        first.start += count
        waitingInput -= count
        if first.start >= first.bytes.count { input.removeFirst() } else { input.first = first }
    }

    /// How the accessory ends the session now; nil while it goes on.
    var dueEnd: ByteChannelEnd.Reason? {
        // The unplugging itself ends the session of an accessory that was unplugged.
        guard let recordedEnd, recordedEnd != .closed, recordedEnd != .detached, input.count == 0,
            writtenCount >= recordedCount
        else { return nil }
        return recordedEnd
    }

    /// Drops that many of the oldest bytes that wait for the program.
    mutating func drop(_ count: Int) {
        var rest = min(count, waitingInput)
        droppedInput += rest
        waitingInput -= rest
        while rest > 0, var first = input.first {
            let part = min(rest, first.bytes.count - first.start)
            first.start += part
            rest -= part
            if first.start >= first.bytes.count { input.removeFirst() } else { input.first = first }
        }
    }

    /// True when neither side will add anything.
    var isOver: Bool { isClosed && recordedEnd != nil }

    mutating func takeMismatches() -> [Finding] {
        defer { mismatches = [] }
        return mismatches
    }

    /// What is different when nothing comes any more.
    func outstanding() -> [Finding] {
        var findings: [Finding] = []
        if isRecorded, !isOpened {
            findings.append(Finding(kind: .notOpened))
        } else {
            var rest = self
            rest.compareRest()
            findings += rest.mismatches
        }
        if droppedInput > 0 { findings.append(Finding(kind: .dropped(droppedInput))) }
        let missing = lostInput + waitingInput
        if missing > 0, isOpened { findings.append(Finding(kind: .notHandedOver(missing))) }
        return findings
    }

    /// Compares whole pieces of the recording, so that a difference shows all of what was meant.
    private mutating func compare() {
        while let piece = expected.first, found.count >= piece.count {
            compare(piece, found.all.prefix(piece.count))
            expected.removeFirst()
            expectedCount -= piece.count
            found.removeFirst(piece.count)
            offset += Int64(piece.count)
        }
        if expectedCount > Self.maximumWaiting || found.count > Self.maximumWaiting {
            compareRest()
            isComparing = false
        }
    }

    private mutating func compareRest() {
        compare(expected.all.flatMap { $0 }, found.all)
        expected.removeAll()
        expectedCount = 0
        found.removeAll()
    }

    private mutating func compare(_ expected: [UInt8], _ found: ArraySlice<UInt8>) {
        guard !found.elementsEqual(expected), mismatches.count < AccessoryDifferences.maximumCount else { return }
        let same = zip(expected, found).prefix { $0 == $1 }.count
        mismatches.append(
            Finding(
                kind: .bytes, offset: offset + Int64(same),
                expected: Array(expected.dropFirst(same).prefix(AccessoryDifference.maximumBytes)),
                found: Array(found.dropFirst(same).prefix(AccessoryDifference.maximumBytes))))
    }
}
