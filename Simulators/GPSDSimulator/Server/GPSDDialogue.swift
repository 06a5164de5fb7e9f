// SPDX-License-Identifier: Apache-2.0

import GPSDProtocol
public import DeviceCore
public import Trace

/// A simulated gpsd for tests. It replies to one client and needs neither a socket nor a clock. Its receivers stay in
/// their initial state, before any report has been played.
///
/// ```swift
/// var dialogue = GPSDDialogue(try TraceFile(path: "drive.trace"))
/// let reply = dialogue.reply(to: Array("?DEVICES;".utf8))
/// ```
public struct GPSDDialogue: Sendable {
    private let state: GPSDState
    /// The client's watch policy, which `?WATCH=` requests change.
    private var policy = GPSDWatch()
    private let now: WallTime

    /// Creates a dialogue with a gpsd that has the receivers present at the start of a trace.
    ///
    /// - Parameters:
    ///   - file: The trace.
    ///   - now: The wall-clock time. It is used in ?POLL replies and as the receivers' activation time.
    public init(_ file: TraceFile, now: WallTime = .epoch) {
        self.init(GPSDState(PlaybackSummary(file), now: now), now: now)
    }

    init(_ state: GPSDState, now: WallTime) {
        (self.state, self.now) = (state, now)
    }

    /// The bytes that the server sends to each new client.
    public var greeting: [UInt8] { GPSDEncoder.encode(state.version) + [13, 10] }

    /// Returns the reply to the input of a single read. Like gpsd, it does not join a request that is split across
    /// reads, and it ignores all bytes after the first 8191.
    public mutating func reply(to bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { state.reply(to: $0, policy: &policy, now: now) }
    }
}
