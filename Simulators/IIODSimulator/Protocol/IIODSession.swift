// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The server's side of one connection: bytes in, replies out, no I/O.
///
/// Give it what came in with ``receive(_:)``, call ``advance(_:now:)`` and send ``output`` as long as it answers
/// `.output`. Its memory is bounded: it reads no more commands while replies wait, and asks the connection not to read.
struct IIODSession {
    enum Wait: Equatable {
        /// Bytes from the client.
        case input
        /// That `output` has gone.
        case output
        /// That time, for samples; `.never` when only a change of the world brings them.
        case time(BootTime)
        /// Nothing: the connection is to be closed.
        case ended
    }

    /// What the next bytes mean.
    enum Phase {
        case commands
        /// The rest of a line that is too long.
        case overlong
        /// The value of a WRITE.
        case value(IIODAttributePath, length: Int)
        /// Samples of a WRITEBUF, which nobody wants.
        case samples(left: Int64, length: Int64)
        case reading(Reading)
        /// The end of a READBUF that asked for a part of a sample more.
        case remainder
        case ended
    }

    /// A READBUF that is being answered.
    struct Reading {
        var device: Int
        var left: Int64
        var isFirst = true
    }

    static let longestLine = 8192
    static let longestValue = 65_536
    /// Replies that are gathered before they are sent.
    static let gathered = 16_384

    var output = IIODOutput()
    var phase = Phase.commands
    var streams: [Int: SampleStream] = [:]
    /// Replies must not go before that time: a fault.
    private(set) var heldUntil = BootTime.zero
    private var input: [UInt8] = []
    private var position = 0

    /// True as long as more bytes may be given.
    var takesInput: Bool { input.count - position < IIODSession.longestValue + IIODSession.longestLine }

    /// True while it works on a READBUF.
    var isReading: Bool { if case .reading = phase { true } else { false } }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        if position > 0 {
            input.removeSubrange(..<position)
            position = 0
        }
        input.append(contentsOf: bytes)
    }

    mutating func advance(_ world: inout IIODWorld, now: BootTime) -> Wait {
        if !output.isEmpty { return .output }
        output.removeAll()
        let wait = work(&world, now: now)
        if !output.isEmpty, world.faults.delay > 0 { heldUntil = now.advanced(bySeconds: world.faults.delay) }
        return output.isEmpty ? wait : .output
    }

    mutating func close(_ world: inout IIODWorld) {
        for stream in streams.values { world.closed(stream) }
        streams = [:]
        phase = .ended
    }

    private mutating func work(_ world: inout IIODWorld, now: BootTime) -> Wait {
        while output.body == nil, output.head.count < IIODSession.gathered {
            switch phase {
            case .ended: return .ended
            case .commands:
                guard let line = takeLine() else {
                    guard input.count - position > IIODSession.longestLine else { return .input }
                    output.append(IIODStatus.invalid)
                    phase = .overlong
                    continue
                }
                guard !line.isEmpty else { continue }
                if let command = IIODCommand(input[line]) {
                    execute(command, &world, now: now)
                } else {
                    output.append(IIODStatus.invalid)
                }
            case .overlong:
                guard let end = input[position...].firstIndex(of: UInt8(ascii: "\n")) else {
                    position = input.count
                    return .input
                }
                position = end + 1
                phase = .commands
            case .value(let path, let length):
                guard input.count - position >= length else { return .input }
                let value = Array(input[position..<position + length])
                position += length
                phase = .commands
                output.append(line: world.write(value, to: path, now: now))
            case .samples(let left, let length):
                let taken = min(left, Int64(input.count - position))
                position += Int(taken)
                guard taken == left else {
                    phase = .samples(left: left - taken, length: length)
                    return .input
                }
                phase = .commands
                output.append(line: length)
            case .remainder:
                phase = .commands
                output.append(line: 0)
            case .reading(let reading): if let deadline = answer(reading, &world, now: now) { return .time(deadline) }
            }
        }
        return .output
    }

    /// Where the next line lies, without its end; nil when it is not complete.
    private mutating func takeLine() -> Range<Int>? {
        guard let end = input[position...].prefix(IIODSession.longestLine + 2).firstIndex(of: UInt8(ascii: "\n")) else {
            return nil
        }
        let start = position
        position = end + 1
        return start..<(end > start && input[end - 1] == UInt8(ascii: "\r") ? end - 1 : end)
    }
}

/// What is to be sent next: lines, and behind them scans that lie in a stream's block.
struct IIODOutput {
    var head: [UInt8] = []
    /// The stream whose block holds the scans, and where in it they are.
    var body: (device: Int, range: Range<Int>)?
    /// How much of both has gone.
    var sent = 0

    var isEmpty: Bool { sent >= count }
    var count: Int { head.count + (body?.range.count ?? 0) }

    mutating func append(line number: Int64) { head.append(contentsOf: "\(number)\n".utf8) }

    mutating func append(_ status: IIODStatus) { append(line: status.code) }

    mutating func append(_ bytes: some Sequence<UInt8>) { head.append(contentsOf: bytes) }

    /// Empties it and keeps its memory.
    mutating func removeAll() {
        head.removeAll(keepingCapacity: head.capacity <= 4096)
        body = nil
        sent = 0
    }
}
