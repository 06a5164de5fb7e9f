// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// A file descriptor that this type does not own and never closes.
struct Descriptor: Sendable {
    static let standardInput = Descriptor(number: 0)
    static let standardOutput = Descriptor(number: 1)
    static let standardError = Descriptor(number: 2)

    let number: Int32

    enum Outcome: Sendable, Equatable {
        case written
        /// The reader closed the pipe, or `shouldContinue` returned false.
        case closed
        case failed(errno: Int32)
    }

    /// Opens /dev/null in place of each closed standard descriptor. Must be called before any file is opened, because
    /// the file could be given a standard descriptor's number and receive the program's output.
    static func openStandardDescriptors() {
        for number in 0...2 as ClosedRange<Int32> where fcntl(number, F_GETFD) < 0 && errno == EBADF {
            // open(2) returns the lowest free descriptor number, which is `number`.
            _ = open("/dev/null", number == 0 ? O_RDONLY : O_WRONLY)
        }
    }

    var isTerminal: Bool { isatty(number) == 1 }

    /// True if this is a terminal that supports control sequences. Support is assumed unless TERM is unset, empty or
    /// "dumb".
    var showsPictures: Bool {
        let kind = getenv("TERM").map { String(cString: $0) } ?? ""
        return isTerminal && !kind.isEmpty && kind != "dumb"
    }

    /// Writes the bytes. While the descriptor is not writable, waits as long as `shouldContinue` returns true.
    func write(_ bytes: [UInt8], shouldContinue: () -> Bool = { true }) -> Outcome {
        let failure = bytes.withUnsafeBytes { FileIO.writeAll($0, to: number, while: shouldContinue) }
        guard let failure else { return .written }
        return failure == EPIPE ? .closed : .failed(errno: failure)
    }

    /// Writes the bytes. After a stop request, waits at most 2 s for a slow reader.
    func write(_ bytes: [UInt8], until stop: StopRequest) -> Outcome {
        write(bytes, shouldContinue: stop.gracePeriod())
    }

    /// Reads available bytes, blocking until there are any.
    func readSome(atMost limit: Int) -> InputReadResult {
        var failure: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            let result = systemRead(number, UnsafeMutableRawBufferPointer(buffer))
            if result < 0 { failure = errno }
            count = max(result, 0)
        }
        if let failure { return .failed(errno: failure) }
        return bytes.isEmpty ? .end : .bytes(bytes)
    }

    enum InputReadResult: Sendable {
        case bytes([UInt8])
        case end
        case failed(errno: Int32)
    }
}
