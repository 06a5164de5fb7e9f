// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Decides how many refills to request from a server at once. iiod sends each refill as soon as it is available, so
/// many refills can be requested at once. Other servers send nothing until all requested samples are available, or lack
/// the memory for a large request. Therefore, the pipeline begins with one refill at a time and then tries two. It
/// requests more only if the server sends the two refills separately.
struct RequestPipeline {
    static let maximumRefills = 64
    /// tinyiiod splits its responses into pieces of this size, in bytes. Refills of the same size would be
    /// indistinguishable from these pieces.
    private static let tinyiiodChunkSize = 256
    private static let initialTrialInterval = 64
    private static let maximumTrialInterval = 4096

    private enum State {
        /// Requests one refill at a time. The associated value is the number of requests until the next trial, which
        /// requests two refills.
        case single(Int)
        /// Requests two refills at a time. The associated value is the number of refills that arrived separately.
        case trial(Int)
        case pipelined
    }

    private let capabilities: ServerCapabilities
    private var state = State.single(1)
    /// The number of requests between a failed trial and the next trial. Trials are repeated, because another client's
    /// requests can make a trial fail.
    private var trialInterval = Self.initialTrialInterval

    init(_ capabilities: ServerCapabilities) { self.capabilities = capabilities }

    /// `size` and `maximum` are in bytes.
    mutating func nextRefillCount(size: Int, maximum: Int) -> Int {
        let fitting = min(Self.maximumRefills, maximum / max(1, size))
        guard fitting > 1, size != Self.tinyiiodChunkSize else { return 1 }
        switch state {
        case .single(let remaining) where remaining > 0: state = .single(remaining - 1)
        case .single:
            guard capabilities.beginTrial() else { return 1 }
            state = .trial(0)
            return 2
        case .trial:
            state = .trial(0)
            return 2
        case .pipelined: return fitting
        }
        return 1
    }

    /// `isRefill` is true if the chunk is exactly one refill.
    mutating func recordChunk(isRefill: Bool) {
        guard isRefill else { return _ = fallBack() }
        guard case .trial(let count) = state else { return }
        state = count == 0 ? .trial(1) : .pipelined
        if count > 0 { capabilities.endTrial() }
    }

    /// Switches to one refill per request. Returns false if the state was already `single`.
    mutating func fallBack() -> Bool {
        if case .single = state { return false }
        capabilities.endTrial()
        state = .single(trialInterval)
        trialInterval = min(trialInterval * 2, Self.maximumTrialInterval)
        return true
    }
}

/// A server's capabilities, shared by all of a connection's buffers.
final class ServerCapabilities: Sendable {
    /// The maximum number of consecutive inconclusive trials. Once it is reached, no buffer starts another trial.
    private static let maximumTrials = 3
    private let trials = Atomic<Int>(0)

    func beginTrial() -> Bool { trials.wrappingAdd(1, ordering: .relaxed).oldValue < Self.maximumTrials }

    func endTrial() { trials.store(0, ordering: .relaxed) }
}
