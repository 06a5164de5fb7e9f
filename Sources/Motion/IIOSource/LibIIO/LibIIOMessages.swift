// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import CLibIIO
import Logging
import Synchronization
import SystemCalls

/// Captures the messages that libiio prints to `stderr`, because versions of libiio before 1.0 cannot disable them.
/// During a call, `stderr` is replaced by a stream that collects the output of the calling thread and forwards the
/// output of all other threads. Thread-safe.
enum LibIIOMessages {
    /// A stream that is never closed. Sendable, because the C library locks a `FILE` during each call.
    private struct Stream: @unchecked Sendable { let file: UnsafeMutablePointer<FILE> }

    private struct State {
        var output: [pthread_t: [UInt8]] = [:]
        /// Not cleared by `end()`, because another thread may still be printing to the collector.
        var original: Stream?
    }

    private static let maximumBytesPerCall = 4096
    private static let state = Mutex(State())
    private static let collector = dsiio_open_stream { _, bytes, count in
        LibIIOMessages.write(UnsafeRawBufferPointer(start: bytes, count: count))
        return count
    }.map { Stream(file: $0) }

    /// Calls libiio and logs its messages at debug level. If the call fails, the caller must report the failure.
    static func withCapturedOutput<Result, Failure>(_ call: () throws(Failure) -> Result) throws(Failure) -> Result {
        begin()
        defer { for line in end() { Logger(label: "device-services.motion").debug("libiio: \(line)") } }
        return try call()
    }

    /// Collects the output of this thread until it calls `end()`. Calls must not be nested. Not private, because tests
    /// call this method.
    static func begin() {
        guard let collector else { return }
        state.withLock { state in
            // `stderr` is already the collector if other code saved it during a call and restored it afterwards.
            if state.output.isEmpty, let original = dsiio_exchange_stderr(collector.file), original != collector.file {
                state.original = Stream(file: original)
            }
            state.output[pthread_self()] = []
        }
    }

    static func end() -> [String] {
        let output = state.withLock { state in
            let output = state.output.removeValue(forKey: pthread_self()) ?? []
            if state.output.isEmpty, let original = state.original { _ = dsiio_exchange_stderr(original.file) }
            return output
        }
        return output.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer) {
        let original = state.withLock { state -> Stream? in
            guard let count = state.output[pthread_self()]?.count else { return state.original }
            state.output[pthread_self()]?.append(contentsOf: bytes.prefix(maximumBytesPerCall - count))
            return nil
        }
        // Writes outside the lock, because writing may block.
        if let original { fwrite(bytes.baseAddress, 1, bytes.count, original.file) }
    }
}
#endif
