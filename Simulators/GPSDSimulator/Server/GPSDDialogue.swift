// SPDX-License-Identifier: Apache-2.0

import GPSDProtocol
public import DeviceCore
public import Trace

/// What a simulated gpsd answers to one client, without a socket and without time: for tests of clients, and of it.
///
/// ```swift
/// var dialogue = GPSDDialogue(try TraceFile(path: "drive.trace"))
/// let reply = dialogue.answer(Array("?DEVICES;".utf8))
/// ```
///
/// The receivers are those that are there when playback begins, and none has reported anything.
public struct GPSDDialogue: Sendable {
    private let world: GPSDWorld
    private var policy = GPSDWatch()
    private let now: WallTime

    /// A dialogue with a gpsd that has the receivers of that trace. Its civil time, which ?POLL tells, is `now`; then its
    /// receivers were opened.
    public init(_ file: TraceFile, now: WallTime = .epoch) {
        self.init(GPSDWorld(TraceSurvey(file), now: now), now: now)
    }

    init(_ world: GPSDWorld, now: WallTime) {
        self.world = world
        self.now = now
    }

    /// What the server sends to a client that connects.
    public var greeting: [UInt8] { GPSDEncoder.line(world.version) + [13, 10] }

    /// What it sends back when those bytes come in one piece: of at most 8191 of them, as gpsd reads.
    public mutating func answer(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { world.answer($0, policy: &policy, now: now) }
    }
}
