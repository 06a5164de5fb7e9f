// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import Synchronization

/// The data that an accessory sends, in chunks. See ``EASession/bytes``.
public struct AccessoryBytes: AsyncSequence, Sendable {
    /// A chunk of at least one byte.
    public typealias Element = Data

    let core: SessionCore?

    /// Creates an iterator over the unread data.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: core.map(AccessoryReader.init)) }

    /// An iterator over the chunks.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let reader: AccessoryReader?

        /// Returns the next chunk as soon as bytes are available. Returns `nil` if the stream ends or the task is
        /// cancelled.
        public mutating func next() async throws -> Data? { try await reader?.next() }
    }
}

/// The state of one iteration over an accessory's data.
final class AccessoryReader: Sendable {
    private struct State {
        var hasBegun = false
        /// True while the task processes a chunk. During playback, the consumer gate then counts this reader as busy.
        var isBusy = false
        var isFinished = false
    }

    private let core: SessionCore
    private let state = Mutex(State())

    init(core: SessionCore) { self.core = core }

    deinit { finish() }

    private var gate: ConsumerGate? { core.device.playback?.consumerGate }

    func next() async throws -> Data? {
        begin()
        while !state.withLock({ $0.isFinished }), !Task.isCancelled {
            switch core.readChunk() {
            case .chunk(let data):
                setBusy(true)
                return data
            case .ended(let error):
                finish()
                if let error { throw error }
                return nil
            case .empty:
                setBusy(false)
                // If `waitForBytes()` returns true, the task was suspended, and the thread that resumed it has called
                // `beginElement()`.
                if await core.waitForBytes() { state.withLock { $0.isBusy = true } }
            }
        }
        finish()
        return nil
    }

    private func begin() {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst {
            core.beginReading()
            gate?.addConsumer()
        }
    }

    private func finish() {
        let hasBegun = state.withLock { state in
            guard !state.isFinished else { return false }
            state.isFinished = true
            return state.hasBegun
        }
        setBusy(false)
        if hasBegun { gate?.removeConsumer() }
    }

    private func setBusy(_ isBusy: Bool) {
        let wasBusy = state.withLock { state in
            defer { state.isBusy = isBusy }
            return state.isBusy
        }
        guard wasBusy != isBusy, let gate else { return }
        if isBusy { gate.beginElement() } else { gate.endElement() }
    }
}
