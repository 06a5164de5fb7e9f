// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import Synchronization

/// What a source is made of.
struct GPSDSettings: Sendable {
    let address: PositionSourceAddress
    let clock: any DeviceClock
    let repairsWeekRollover: Bool
    let timing: GPSDTiming
}

/// The work of the source's thread: connect, read until the connection ends, wait, and again.
final class GPSDSession: Sendable {
    private let settings: GPSDSettings
    private let hub: PositionHub
    private let wakeUp: WakeUp
    private let count: @Sendable (GPSDStatistics) -> Void

    private var address: PositionSourceAddress { settings.address }
    private var clock: any DeviceClock { settings.clock }
    private var timing: GPSDTiming { settings.timing }

    init(
        _ settings: GPSDSettings, hub: PositionHub, wakeUp: WakeUp,
        count: @escaping @Sendable (GPSDStatistics) -> Void
    ) {
        self.settings = settings
        self.hub = hub
        self.wakeUp = wakeUp
        self.count = count
    }

    /// Works until nobody wants positions any more.
    func run() {
        var decoder: (any ReportDecoder)?
        var backoff = Backoff(first: timing.firstRetry, limit: timing.lastRetry)
        while hub.isWanted {
            let demand = hub.demand
            do throws(DeviceError) {
                var current = try makeDecoder(or: decoder)
                defer { decoder = current }
                guard let socket = try connect() else { continue }
                try serve(socket, decoder: &current, backoff: &backoff)
            } catch {
                hub.postLost(error)
                pause(seconds: backoff.take(), demand: demand)
                if hub.demand != demand { backoff.reset() }
            }
        }
    }

    private func makeDecoder(or existing: (any ReportDecoder)?) throws(DeviceError) -> any ReportDecoder {
        if let existing { return existing }
        switch address.client {
        case .native: return GPSDDecoder()
        case .libgps:
            #if LibGPS
            return try LibGPSDecoder()
            #else
            throw DeviceError(
                .notSupported,
                "\(address) asks for libgps, but this build has the LibGPS trait off. Use gpsd://, or build with the trait."
            )
            #endif
        case .mqtt, .mqtts:
            throw DeviceError(
                .notSupported,
                "\(address) asks for a board at an MQTT broker, but this build has the LibMosquitto trait off. Build with --traits default,LibMosquitto."
            )
        }
    }

    private func connect() throws(DeviceError) -> Socket? {
        var failure: DeviceError?
        for target in try Socket.resolve(address) {
            guard hub.isWanted else { return nil }
            do throws(DeviceError) {
                return try Socket.connect(
                    target, name: address, within: timing.connect, wakeUp: wakeUp, clock: clock,
                    isCancelled: { !hub.isWanted })
            } catch {
                failure = error
            }
        }
        throw failure ?? DeviceError(.unreachable, "The host of \(address) has no address. Check its name.")
    }

    /// Waits, but not longer than the subscribers are there that have been told of the failure: one that comes anew shall
    /// not wait for what others have seen fail.
    private func pause(seconds: Double, demand: UInt64) {
        let end = clock.now.advanced(bySeconds: seconds)
        while hub.isWanted, hub.demand == demand, clock.now < end {
            _ = wakeUp.wait(for: nil, until: end, clock: clock)
        }
    }

    /// Reads until the connection ends, which is an error, or until nobody listens.
    private func serve(
        _ socket: borrowing Socket, decoder: inout any ReportDecoder, backoff: inout Backoff
    ) throws(DeviceError) {
        if let number = socket.send(GPSDRequest.watch(enabled: true)) { throw ended(errno: number) }
        var framer = LineFramer()
        var reader = LineReader(
            hub: hub, watchdog: Watchdog(timing: timing, now: clock.now),
            rolloverClock: settings.repairsWeekRollover ? clock : nil)
        count(reader.takeCounts())
        defer { count(reader.takeCounts()) }
        var lastWake = clock.now
        var demand = hub.demand
        while hub.isWanted {
            let isReadable = wakeUp.wait(
                for: socket.descriptor, until: min(hub.nextDeadline, reader.watchdog.deadline), clock: clock)
            let now = clock.now
            if hub.demand != demand {
                demand = hub.demand
                reader.watchdog.restart(now: now)
            }
            if isReadable {
                reader.begin(pause: now.seconds(since: lastWake), limit: timing.standstill, now: now)
                // What came before the end of a connection counts.
                defer {
                    reader.finish()
                    count(reader.takeCounts())
                }
                try read(socket, into: &framer, reader: &reader, decoder: &decoder)
                if reader.watchdog.hasHeardService { backoff.reset() }
            }
            lastWake = now
            if hub.nextDeadline <= now { hub.handOverDue(now: now) }
            switch reader.watchdog.check(now: now) {
            case .none: break
            case .probe:
                if let number = socket.send(GPSDRequest.version) { throw ended(errno: number) }
            case .declareSilent:
                hub.postLost(silent())
            case .giveUp: throw unanswered(reader.watchdog)
            }
        }
    }

    /// Reads all that is there. A read that does not fill the buffer has emptied the socket, which saves the call that
    /// would say so; while catching up after a standstill the socket is read until it says so itself.
    private func read(
        _ socket: borrowing Socket, into framer: inout LineFramer, reader: inout LineReader,
        decoder: inout any ReportDecoder
    ) throws(DeviceError) {
        // A service that sends faster than it can be read must not keep the thread from its other duties.
        for _ in 0..<(reader.isCatchingUp ? 4096 : 256) {
            var result = Socket.ReadResult.nothing
            var space = 0
            _ = framer.read { buffer in
                space = buffer.count
                result = socket.read(into: buffer)
                if case .bytes(let count) = result { return count }
                return 0
            }
            switch result {
            case .bytes(let count):
                hub.together {
                    while framer.nextLine({ reader.take($0, decoder: &decoder) }) {}
                }
                if count < space, !reader.isCatchingUp { return }
            case .nothing: return
            case .ended: throw ended(errno: nil)
            case .failed(let number): throw ended(errno: number)
            }
        }
    }

    // MARK: Errors

    private func ended(errno number: Int32?) -> DeviceError {
        DeviceError(
            .connectionLost,
            "gpsd at \(address) has closed the connection. It is tried again until it answers; if gpsd was not restarted on purpose, see its log (journalctl -u gpsd).",
            cause: number.map { .system(call: "recv", errno: $0) })
    }

    private func silent() -> DeviceError {
        DeviceError(
            .silent,
            "gpsd at \(address) answers, but no receiver has reported for \(timing.silence) s. Check that the receiver is plugged in and that gpsd was told of it (gpsdctl add DEVICE)."
        )
    }

    private func unanswered(_ watchdog: Watchdog) -> DeviceError {
        let message =
            watchdog.hasHeardService
            ? "gpsd at \(address) has stopped answering. The connection is made anew."
            : "What listens at \(address) does not speak gpsd's protocol. Check the port in DEVICE_SERVICES_GPSD."
        return DeviceError(.silent, message)
    }
}
