// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What is to be sent next: lines, and behind them scans that lie in a stream's block.
struct IIODOutput {
    /// Lines and small values.
    var head: [UInt8] = []
    /// The stream whose block holds the scans, and where in it they are.
    var body: (device: Int, range: Range<Int>)?
    /// How much of both has gone.
    var sent = 0

    var isEmpty: Bool { sent >= count }
    var count: Int { head.count + (body?.range.count ?? 0) }

    mutating func append(line number: Int64) {
        if number < 0 { head.append(UInt8(ascii: "-")) }
        append(digitsOf: number.magnitude)
        head.append(UInt8(ascii: "\n"))
    }

    mutating func append(_ status: IIODStatus) { append(line: status.code) }

    mutating func append(_ bytes: some Sequence<UInt8>) { head.append(contentsOf: bytes) }

    /// Empties it and keeps its memory.
    mutating func removeAll() {
        head.removeAll(keepingCapacity: head.capacity <= 4096)
        body = nil
        sent = 0
    }

    /// Digits without a string in between: this runs for every sample of a client that reads one at a time.
    private mutating func append(digitsOf number: UInt64) {
        let start = head.count
        var rest = number
        repeat {
            head.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        head[start...].reverse()
    }
}
