// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization

// Methods for reading and writing in a task.
extension SessionCore {
    enum ChunkReadResult {
        case chunk(Data)
        case empty
        case ended(DeviceError?)
    }

    /// The maximum size of a chunk, in bytes.
    private static let maximumChunkSize = 65_536

    /// Called when a task begins to read from the session. The input stream's executor then stops reading from the
    /// channel, because reading on the executor would delay the task.
    func beginReading() {
        state.withLock { $0.isReadByTasks = true }
        updatePollingExecutor()
        open(.input)
    }

    func readChunk() -> ChunkReadResult {
        guard isOpen(.input) else { return .ended(nil) }
        let length = min(max(channel.bytesAvailable, 1), SessionCore.maximumChunkSize)
        var result = ByteChannelRead.empty
        var data = Data(count: length)
        data.withUnsafeMutableBytes { result = channel.read(into: $0) }
        rearm(.input)
        switch result {
        case .bytes(let count):
            data.removeLast(length - count)
            return .chunk(data)
        case .empty: return .empty
        case .ended(let end): return .ended(end.reason == .failed ? end.streamFailure : nil)
        }
    }

    /// Suspends until bytes may be available, the stream has ended or the task is cancelled. Returns true if the task
    /// was suspended during playback. In that case, the thread that resumed it has called `beginElement()` on the
    /// consumer gate.
    func waitForBytes() async -> Bool {
        await withTaskCancellationHandler {
            var hasWaited = false
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let waits = state.withLock { state in
                    let now = channel.status
                    guard state.input.events.isOpen, !Task.isCancelled, now.end == nil, now.bytesAvailable == 0
                    else { return false }
                    state.readers.append(continuation)
                    return true
                }
                hasWaited = waits
                if !waits { continuation.resume() }
            }
            return hasWaited && device.playback != nil
        } onCancel: {
            wakeReaders()
        }
    }

    func wakeReaders() {
        let readers = state.withLock { state in
            defer { state.readers = [] }
            return state.readers
        }
        resume(readers: readers)
    }

    func resume(readers: [CheckedContinuation<Void, Never>]) {
        for reader in readers {
            device.playback?.consumerGate.beginElement()
            reader.resume()
        }
    }

    func wakeWriters() {
        let writers = state.withLock { state in
            defer { state.writers = [] }
            return state.writers
        }
        for writer in writers { writer.resume() }
    }

    nonisolated(nonsending) func writeAll(_ data: Data) async throws {
        open(.output)
        while !state.withLock({ $0.beginWriting() }) { try await waitToWrite { $0.isWriting } }
        defer {
            state.withLock { $0.isWriting = false }
            wakeWriters()
        }
        var done = 0
        while done < data.count {
            guard isOpen(.output) else { throw DeviceError(.inputOutput, "The session was closed.") }
            let result = data.withUnsafeBytes { bytes in channel.write(UnsafeRawBufferPointer(rebasing: bytes[done...]))
            }
            switch result {
            case .accepted(let count):
                done += count
                if done < data.count { try await waitToWrite { $0.output.events.isOpen && self.hasNoSpace } }
            case .ended(let end): throw end.streamFailure
            }
        }
    }

    private var hasNoSpace: Bool {
        let now = channel.status
        return now.spaceAvailable == 0 && now.end == nil
    }

    /// If `isBlocked` returns true, suspends the task until the writers are woken. Throws `CancellationError` if the
    /// task is cancelled.
    private nonisolated(nonsending) func waitToWrite(_ isBlocked: (State) -> Bool) async throws {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let waits = state.withLock { state in
                    guard !Task.isCancelled, isBlocked(state) else { return false }
                    state.writers.append(continuation)
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            wakeWriters()
        }
        try Task.checkCancellation()
    }
}

extension SessionCore.State {
    fileprivate mutating func beginWriting() -> Bool {
        if isWriting { return false }
        isWriting = true
        return true
    }
}
