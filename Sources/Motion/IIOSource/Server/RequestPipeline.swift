// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The number of refills in each request to a server. iiod sends each refill as soon as it is available. Other servers
/// send nothing until all requested samples are available, which takes a long time for many refills, or they do not
/// have enough memory for a large request. Therefore, many refills are requested only after the server has responded to
/// a request for two refills with separate refills.
struct RequestPipeline {
    static let maximumRefills = 64
    /// The size of the pieces into which tinyiiod splits responses, in bytes. With refills of this size, each piece
    /// would look like a separate refill.
    private static let tinyiiodChunkSize = 256
    private static let initialTrialInterval = 64
    private static let maximumTrialInterval = 4096

    private enum State {
        /// One refill per request, for the given number of further requests.
        case single(Int)
        /// Two refills per request. The given number of refills has been received separately.
        case trial(Int)
        case pipelined
    }

    private let capabilities: ServerCapabilities
    private var state = State.single(1)
    /// The number of requests until the next trial. Trials are repeated because a trial may fail due to the requests of
    /// a different client.
    private var trialInterval = Self.initialTrialInterval

    init(_ capabilities: ServerCapabilities) { self.capabilities = capabilities }

    /// Returns the number of refills for the next request. The sizes are in bytes.
    mutating func nextRefillCount(size: Int, maximum: Int) -> Int {
        let fitting = min(Self.maximumRefills, maximum / max(1, size))
        guard fitting > 1, size != Self.tinyiiodChunkSize else { return 1 }
        switch state {
        case .single(let left) where left > 0: state = .single(left - 1)
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

    /// Records a chunk of a response. `isRefill` is true if the chunk is exactly one refill.
    mutating func recordChunk(isRefill: Bool) {
        guard isRefill else { return _ = fallBack() }
        guard case .trial(let count) = state else { return }
        state = count == 0 ? .trial(1) : .pipelined
        if count > 0 { capabilities.endTrial() }
    }

    /// Falls back to single refills, because the server cannot send several. Returns false if the request was already
    /// for a single refill.
    mutating func fallBack() -> Bool {
        if case .single = state { return false }
        capabilities.endTrial()
        state = .single(trialInterval)
        trialInterval = min(trialInterval * 2, Self.maximumTrialInterval)
        return true
    }
}

/// The known capabilities of a server, shared by all buffers of a connection.
final class ServerCapabilities: Sendable {
    /// The maximum number of consecutive incomplete trials. After that, no buffer requests two refills.
    private static let maximumTrials = 3
    private let trials = Atomic<Int>(0)

    func beginTrial() -> Bool { trials.wrappingAdd(1, ordering: .relaxed).oldValue < Self.maximumTrials }

    func endTrial() { trials.store(0, ordering: .relaxed) }
}
