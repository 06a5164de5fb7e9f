// SPDX-License-Identifier: Apache-2.0

import SystemCalls

struct Descriptor: Sendable {
    static let standardInput = Descriptor(number: 0)
    static let standardOutput = Descriptor(number: 1)
    static let standardError = Descriptor(number: 2)

    let number: Int32

    enum Outcome: Sendable, Equatable {
        case written
        /// Nobody reads any more.
        case closed
        case failed(errno: Int32)
    }

    /// Opens /dev/null for those of the standard descriptors that are closed. Called first of all: the next thing that is
    /// opened would be one, and be written to.
    static func openStandardOnes() {
        for number in 0...2 as ClosedRange<Int32> where fcntl(number, F_GETFD) < 0 && errno == EBADF {
            // The lowest number that is free is the one.
            _ = open("/dev/null", number == 0 ? O_RDONLY : O_WRONLY)
        }
    }

    var isTerminal: Bool { isatty(number) == 1 }

    /// True for a terminal in which pictures can be drawn: not for one that says it can only print.
    var showsPictures: Bool {
        let kind = getenv("TERM").map { String(cString: $0) } ?? ""
        return isTerminal && !kind.isEmpty && kind != "dumb"
    }

    /// Writes all of it, however many calls that takes.
    ///
    /// - Parameter isPatient: asked now and then while nobody takes what is written; false gives up, as when nobody
    ///   reads any more.
    func write(_ bytes: [UInt8], isPatient: () -> Bool = { true }) -> Outcome {
        bytes.withUnsafeBytes { buffer in
            var start = 0
            while start < buffer.count {
                // A pipe that is said to be writable takes that much without blocking.
                let part = buffer[start..<min(start + Int(PIPE_BUF), buffer.count)]
                while !isWritable(within: 100) { if !isPatient() { return .closed } }
                let count = systemWrite(number, UnsafeRawBufferPointer(rebasing: part))
                if count >= 0 {
                    start += count
                    continue
                }
                switch errno {
                case EINTR, EAGAIN: continue
                case EPIPE: return .closed
                case let error: return .failed(errno: error)
                }
            }
            return .written
        }
    }

    /// Writes all of it as long as the verb goes on, and for two seconds beyond that: who does not read must not keep it
    /// from its end.
    func write(_ bytes: [UInt8], until stop: Stop) -> Outcome {
        write(bytes, isPatient: stop.patience())
    }

    /// True when a write does not wait, be it that it fails.
    private func isWritable(within milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        let count = poll(&wait, 1, milliseconds)
        return count > 0 || (count < 0 && errno != EINTR && errno != EAGAIN)
    }

    /// Reads what is there, as soon as something is.
    func readSome(atMost limit: Int) -> ReadSome {
        var failure: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            let result = systemRead(number, UnsafeMutableRawBufferPointer(buffer))
            if result < 0 { failure = errno }
            count = max(result, 0)
        }
        if let failure { return .failed(errno: failure) }
        return bytes.isEmpty ? .end : .bytes(bytes)
    }

    enum ReadSome: Sendable {
        case bytes([UInt8])
        case end
        case failed(errno: Int32)
    }
}
