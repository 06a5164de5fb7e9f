// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDSource
import Testing

/// Tests that every client must pass. They run one at a time because they measure threads, descriptors and time.
@Suite("Contract of the gpsd clients", .serialized)
struct ContractSuite {
    /// The clients of this build.
    static let clients: [PositionSourceAddress.Client] = {
        #if LibGPS
        [.native, .libgps]
        #else
        [.native]
        #endif
    }()

    /// Long timeouts that do not expire on a busy machine.
    static let longTimeouts: GPSDTiming = {
        var timing = GPSDTiming()
        timing.connectTimeout = 10
        timing.initialRetryDelay = 0.01
        timing.maximumRetryDelay = 0.05
        timing.silenceTimeout = 60
        timing.probeInterval = 60
        timing.replyTimeout = 60
        timing.suspensionThreshold = 60
        return timing
    }()

    static func source(
        _ client: PositionSourceAddress.Client, port: UInt16, host: String = "127.0.0.1",
        timing: GPSDTiming = longTimeouts, clock: any DeviceClock = LiveClock(), repairsWeekRollover: Bool = false,
        warn: @escaping @Sendable (String) -> Void = { _ in }
    ) -> GPSDSource {
        GPSDSource(
            address: PositionSourceAddress(client: client, host: host, port: port), clock: clock,
            repairsWeekRollover: repairsWeekRollover, timing: timing, warn: warn)
    }

    /// Returns the events that a subscriber receives from a server with that script, until the number of reports is
    /// reached.
    static func received(
        _ client: PositionSourceAddress.Client, reports: Int,
        request: PositionRequest = PositionRequest(includesAllReports: true),
        by script: @escaping @Sendable (FakePeer) -> Void
    ) throws -> [PositionEvent] {
        let server = try FakeGPSD { peer in
            peer.begin()
            script(peer)
            peer.waitUntilClosed()
        }
        let source = source(client, port: server.port)
        let log = EventLog()
        let subscription = source.subscribe(request, receive: log.receive)
        #expect(log.waitForReports(reports))
        subscription.cancel()
        server.stop()
        return log.events
    }
}
