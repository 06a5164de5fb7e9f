// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension IIODSession {
    /// Answers the next chunk of a READBUF; the time to wait for when there is none yet.
    mutating func answer(_ reading: Reading, _ world: inout IIODWorld, now: BootTime) -> BootTime? {
        guard var stream = streams.removeValue(forKey: reading.device) else {
            output.append(IIODStatus.notOpen)
            phase = .commands
            return nil
        }
        defer { streams[reading.device] = stream }
        let wanted = reading.left / Int64(stream.sampleSize)
        switch stream.next(atMost: wanted, &world, now: now) {
        case .wait(let deadline): return deadline
        case .failure(let status):
            output.append(status)
            phase = .commands
        case .chunk(let range):
            let lengthError = world.faults[reading.device].lengthError
            output.append(line: max(0, Int64(range.count) + Int64(lengthError)))
            if reading.isFirst {
                output.append(stream.mask.text)
                output.append(CollectionOfOne(UInt8(ascii: "\n")))
            }
            output.body = (reading.device, range)
            lastRead = reading.device
            world.samplesSent += Int64(range.count / stream.sampleSize)
            var rest = reading
            rest.left -= Int64(range.count)
            rest.isFirst = false
            phase = .reading(rest)
            if rest.left == 0 { phase = .commands }
            if rest.left > 0, rest.left < Int64(stream.sampleSize) { phase = .remainder }
        }
        return nil
    }

    /// Prepares the answer that the client will probably ask for next; for when all answers have gone.
    mutating func workAhead() {
        guard output.isEmpty, let device = lastRead else { return }
        lastRead = nil
        output.body = nil
        streams[device]?.stampAhead()
    }

    /// Calls the body with what is left to send: the rest of the lines and the rest of the scans.
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
