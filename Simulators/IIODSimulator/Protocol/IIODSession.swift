// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The server side of one connection. A session parses input and creates replies but performs no I/O. Pass received
/// bytes to ``receive(_:)``, then call ``advance(_:now:)`` and send ``output`` while the result is `.output`. To limit
/// memory use, the session executes no commands while replies are pending, and ``acceptsInput`` is false when its input
/// buffer is full.
struct IIODSession {
    enum Wait: Equatable {
        case input
        case output
        /// The session waits for samples until the given time and then tries again. If the time is `.never`, it waits
        /// for another event.
        case time(BootTime)
        case ended
    }

    enum Phase {
        case commands
        /// The session is skipping the rest of a line that is too long.
        case skippingLine
        case value(IIODAttributePath, length: Int)
        /// The session is discarding the samples of a WRITEBUF.
        case samples(remaining: Int64, length: Int64)
        case reading(BufferRead)
        /// The session must end a READBUF, because fewer bytes remain than a sample needs.
        case remainder
        case ended
    }

    /// A READBUF in progress. `remaining` is in bytes.
    struct BufferRead {
        var device: Int
        var remaining: Int64
        var isFirst = true
    }

    static let maximumLineLength = 8192
    static let maximumValueLength = 65_536
    /// The number of reply bytes to collect before sending them.
    static let outputThreshold = 16_384
    var output = IIODOutput()
    var phase = Phase.commands
    var streams: [Int: SampleStream] = [:]
    /// The time until which a `delay` fault holds back replies.
    private(set) var delayedUntil = BootTime.zero
    private var input: [UInt8] = []
    /// The number of bytes at the beginning of `input` that have been processed.
    private var position = 0
    var acceptsInput: Bool { input.count - position < IIODSession.maximumValueLength + IIODSession.maximumLineLength }
    var isReading: Bool { if case .reading = phase { true } else { false } }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        if position > 0 {
            input.removeSubrange(..<position)
            position = 0
        }
        input.append(contentsOf: bytes)
    }

    mutating func advance(_ state: inout IIODState, now: BootTime) -> Wait {
        if !output.isEmpty { return .output }
        output.removeAll()
        let wait = processInput(&state, now: now)
        if !output.isEmpty, state.faults.delay > 0 { delayedUntil = now.advanced(bySeconds: state.faults.delay) }
        return output.isEmpty ? wait : .output
    }

    mutating func close(_ state: inout IIODState) {
        for stream in streams.values { state.streamDidClose(stream) }
        streams = [:]
        phase = .ended
    }

    private mutating func processInput(_ state: inout IIODState, now: BootTime) -> Wait {
        while output.body == nil, output.head.count < IIODSession.outputThreshold {
            switch phase {
            case .ended: return .ended
            case .commands:
                guard let line = consumeLine() else {
                    guard input.count - position > IIODSession.maximumLineLength else { return .input }
                    output.append(IIODStatus.invalid)
                    phase = .skippingLine
                    continue
                }
                guard !line.isEmpty else { continue }
                if let command = IIODCommand(input[line]) {
                    execute(command, &state, now: now)
                } else {
                    output.append(IIODStatus.invalid)
                }
            case .skippingLine:
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
                output.append(line: state.write(value, to: path, now: now))
            case .samples(let remaining, let length):
                let consumedCount = min(remaining, Int64(input.count - position))
                position += Int(consumedCount)
                guard consumedCount == remaining else {
                    phase = .samples(remaining: remaining - consumedCount, length: length)
                    return .input
                }
                phase = .commands
                output.append(line: length)
            case .remainder:
                phase = .commands
                output.append(line: 0)
            case .reading(let reading):
                if let deadline = appendChunk(reading, &state, now: now) { return .time(deadline) }
            }
        }
        return .output
    }

    /// Consumes the next line and returns its range without the line ending. Returns nil if the line is incomplete.
    private mutating func consumeLine() -> Range<Int>? {
        guard let end = input[position...].prefix(IIODSession.maximumLineLength + 2).firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        let start = position
        position = end + 1
        return start..<(end > start && input[end - 1] == UInt8(ascii: "\r") ? end - 1 : end)
    }
}

/// The pending output: reply lines, followed by scans that are stored in a stream's block.
struct IIODOutput {
    var head: [UInt8] = []
    /// The location of the scans: the device whose stream contains them, and the byte range within the stream's block.
    var body: (device: Int, range: Range<Int>)?
    var sent = 0
    var isEmpty: Bool { sent >= count }
    var count: Int { head.count + (body?.range.count ?? 0) }

    mutating func append(line number: Int64) { head.append(contentsOf: "\(number)\n".utf8) }

    mutating func append(_ status: IIODStatus) { append(line: status.code) }

    mutating func append(_ bytes: some Sequence<UInt8>) { head.append(contentsOf: bytes) }

    mutating func removeAll() {
        head.removeAll(keepingCapacity: head.capacity <= 4096)
        body = nil
        sent = 0
    }
}
