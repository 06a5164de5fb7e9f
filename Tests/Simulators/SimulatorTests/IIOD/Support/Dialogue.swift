// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Synchronization

@testable import IIODSimulator

/// Counts the reads of a clock.
private final class Readings: Sendable {
    private let count = Atomic<Int>(0)

    func isFirst() -> Bool { count.add(1, ordering: .relaxed).oldValue == 0 }
}

/// A session without a socket, on a clock that the test advances.
struct Dialogue {
    var state: IIODState
    var session = IIODSession()
    /// Nanoseconds since boot.
    var now: Int64 = 5_000_000_000
    /// The condition that the session waits for after the last request.
    private(set) var wait = IIODSession.Wait.input

    /// - Parameter heldUp: The time for which the thread is suspended after its first clock read, in nanoseconds.
    init(
        _ context: IIOContext = Fixtures.accelerometer, samples: some IIOSampleSource = IIORestSource(),
        needingTrigger: Set<String> = [], heldUp: Int64 = 0,
        _ configure: (inout IIODServerOptions) -> Void = { _ in }
    ) {
        var simulated = SimulatedIIOContext(context)
        simulated.devicesNeedingTrigger = needingTrigger
        var options = IIODServerOptions()
        configure(&options)
        let readings = Readings()
        state = IIODState(
            context: simulated, signals: simulated.context.devices.map { samples.signals(for: $0) }, options: options,
            readClock: { [now] clock in
                (clock == .boottime ? now : 1_700_000_000_000_000_000) + (readings.isFirst() ? 0 : heldUp)
            })
    }

    /// Sends bytes and returns the immediate reply.
    mutating func send(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { session.receive($0) }
        return advanceSession()
    }

    /// Sends a line and returns the immediate reply as text.
    mutating func line(_ text: String) -> String { String(decoding: send(Array((text + "\r\n").utf8)), as: UTF8.self) }

    /// Advances the clock and returns the reply.
    mutating func pass(_ nanoseconds: Int64) -> [UInt8] {
        now += nanoseconds
        _ = state.applyFaults(now: BootTime(nanoseconds: now))
        return advanceSession()
    }

    private mutating func advanceSession() -> [UInt8] {
        var reply: [UInt8] = []
        while true {
            wait = session.advance(&state, now: BootTime(nanoseconds: now))
            guard wait == .output else { return reply }
            session.withOutput { head, scans in
                reply.append(contentsOf: head)
                reply.append(contentsOf: scans)
            }
            session.output.sent = session.output.count
        }
    }
}

/// The parts of an answer to READBUF.
struct Chunks {
    /// The numbers in the length lines.
    var lengths: [Int] = []
    var mask = ""
    var scans: [UInt8] = []

    /// Parses an answer. nil if it is invalid.
    init?(_ reply: [UInt8]) {
        var rest = reply[...]
        func line() -> String? {
            guard let end = rest.firstIndex(of: 10) else { return nil }
            defer { rest = rest[(end + 1)...] }
            return String(decoding: rest[..<end], as: UTF8.self)
        }
        while !rest.isEmpty {
            guard let length = line().flatMap({ Int($0) }) else { return nil }
            lengths.append(length)
            guard length > 0 else { continue }
            if mask.isEmpty {
                guard let text = line() else { return nil }
                mask = text
            }
            guard rest.count >= length else { return nil }
            scans += rest.prefix(length)
            rest = rest.dropFirst(length)
        }
    }

    /// The 16-bit big-endian number at the start of each scan of 16 bytes.
    var first: [Int] { stride(from: 0, to: scans.count, by: 16).map { Int(scans[$0]) << 8 | Int(scans[$0 + 1]) } }

    /// The timestamp at the end of each scan of 16 bytes.
    var stamps: [Int64] {
        stride(from: 8, to: scans.count, by: 16).map { offset in
            scans[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | Int64($1) }
        }
    }
}
