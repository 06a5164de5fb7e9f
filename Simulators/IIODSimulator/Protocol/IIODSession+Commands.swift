// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Execution of commands, and output of the samples requested by READBUF.
extension IIODSession {
    mutating func execute(_ command: IIODCommand, _ state: inout IIODState, now: BootTime) {
        do throws(IIODStatus) {
            switch command {
            case .exit: phase = .ended
            case .help: output.append(Self.help.utf8)
            case .version: output.append(state.versionLine)
            case .print: append(state.xml)
            case .timeout: output.append(line: 0)
            case .read(let path): append(try state.read(path, now: now))
            case .write(let path, let length):
                _ = try state.context.device(path.device)
                if length == 0 { throw state.context.emptyWriteError(path) }
                // If the value is too long, the command fails before the value is read.
                guard length > 0, length <= Int64(IIODSession.maximumValueLength) else { throw .noMemory }
                phase = .value(path, length: Int(length))
            case .trigger(let device):
                // For an unknown device, iiod replies with EINVAL instead of ENODEV.
                guard let index = state.context.index(of: device) else { throw .invalid }
                append(Array(try state.context.trigger(of: index).utf8))
            case .setTrigger(let device, let trigger):
                let index = try state.context.device(device)
                guard !state.isBufferEnabled(index) else { throw .busy }
                try state.context.setTrigger(trigger, of: index)
                output.append(line: 0)
            case .setBuffersCount(let device, let count):
                let index = try state.context.device(device)
                guard count != 0 else { throw .invalid }
                state.setBuffersCount(count, of: index)
                output.append(line: 0)
            case .open(let device, let samples, let mask, let isCyclic):
                let index = try state.context.device(device)
                let stream = try state.open(index, samples: samples, mask: mask, isCyclic: isCyclic, now: now)
                if let former = streams[index] { state.streamDidClose(former) }
                streams[index] = stream
                output.append(line: 0)
            case .close(let device):
                let index = try state.context.device(device)
                guard let stream = streams.removeValue(forKey: index) else { throw .noChannel }
                state.streamDidClose(stream)
                output.append(line: 0)
            case .readBuffer(let device, let length):
                let index = try state.context.device(device)
                guard let stream = streams[index] else { throw .notOpen }
                guard length >= Int64(stream.sampleSize) else {
                    output.append(line: 0)
                    return
                }
                phase = .reading(BufferRead(device: index, remaining: length))
            case .writeBuffer(let device, let length):
                let index = try state.context.device(device)
                guard streams[index] != nil else { throw .notOpen }
                guard length >= 0 else { throw .invalid }
                output.append(line: 0)
                phase = .samples(remaining: length, length: length)
            }
        } catch {
            output.append(error)
        }
    }

    private mutating func append(_ value: [UInt8]) {
        output.append(line: Int64(value.count))
        output.append(value)
        output.append(CollectionOfOne(UInt8(ascii: "\n")))
    }
}

extension IIODSession {
    private static let help = """
        Commands of this server:

        \tHELP
        \tEXIT
        \tVERSION
        \tPRINT
        \tTIMEOUT <milliseconds>
        \tREAD <device> [DEBUG|BUFFER|INPUT <channel>|OUTPUT <channel>] [<attribute>]
        \tWRITE <device> [DEBUG|BUFFER|INPUT <channel>|OUTPUT <channel>] [<attribute>] <bytes>
        \tGETTRIG <device>
        \tSETTRIG <device> [<trigger>]
        \tSET <device> BUFFERS_COUNT <count>
        \tOPEN <device> <samples> <mask> [CYCLIC]
        \tREADBUF <device> <bytes>
        \tWRITEBUF <device> <bytes>
        \tCLOSE <device>

        """

    /// Appends the next chunk of a READBUF to the output. If no chunk is available yet, returns the time at which to
    /// try again.
    mutating func appendChunk(_ reading: BufferRead, _ state: inout IIODState, now: BootTime) -> BootTime? {
        // The stream is removed from the dictionary while it is modified, to avoid copying its block.
        guard var stream = streams.removeValue(forKey: reading.device) else {
            output.append(IIODStatus.notOpen)
            phase = .commands
            return nil
        }
        defer { streams[reading.device] = stream }
        let requestedCount = reading.remaining / Int64(stream.sampleSize)
        switch stream.next(atMost: requestedCount, &state, now: now) {
        case .wait(let deadline): return deadline
        case .failure(let status):
            output.append(status)
            phase = .commands
        case .chunk(let range):
            let lengthError = state.faults[reading.device].lengthError
            output.append(line: max(0, Int64(range.count) + Int64(lengthError)))
            if reading.isFirst {
                output.append(stream.mask.text)
                output.append(CollectionOfOne(UInt8(ascii: "\n")))
            }
            output.body = (reading.device, range)
            state.samplesSent += Int64(range.count / stream.sampleSize)
            var rest = reading
            rest.remaining -= Int64(range.count)
            rest.isFirst = false
            phase = .reading(rest)
            if rest.remaining == 0 { phase = .commands }
            if rest.remaining > 0, rest.remaining < Int64(stream.sampleSize) { phase = .remainder }
        }
        return nil
    }

    /// Calls the closure with the unsent parts of the output: first the reply lines, then the scans.
    func withOutput<Result>(
        _ body: (_ head: UnsafeRawBufferPointer, _ scans: UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let fromHead = min(output.sent, output.head.count)
        return output.head.withUnsafeBytes { head in
            let head = UnsafeRawBufferPointer(rebasing: head[fromHead...])
            guard let (device, range) = output.body, let stream = streams[device] else {
                return body(head, UnsafeRawBufferPointer(start: nil, count: 0))
            }
            return stream.block.withUnsafeBytes { block in
                let start = range.lowerBound + (output.sent - fromHead)
                return body(head, UnsafeRawBufferPointer(rebasing: block[start..<range.upperBound]))
            }
        }
    }
}
