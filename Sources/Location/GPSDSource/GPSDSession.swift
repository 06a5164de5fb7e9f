// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol

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
        var backoff = Backoff(first: timing.firstRetry, limit: timing.lastRetry)
        while hub.isWanted {
            let demand = hub.demand
            do throws(DeviceError) {
                let decoder = try makeDecoder()
                guard let socket = try connect() else { continue }
                try serve(socket, decoder, backoff: &backoff)
            } catch {
                hub.setStatus(.unavailable(error))
                pause(seconds: backoff.take(), demand: demand)
                if hub.demand != demand { backoff.reset() }
            }
        }
    }

    private func makeDecoder() throws(DeviceError) -> sending any ReportDecoder {
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
        _ socket: consuming Socket, _ decoder: sending any ReportDecoder, backoff: inout Backoff
    ) throws(DeviceError) {
        let link = GPSDLink(settings, socket: socket, decoder: decoder, hub: hub, count: count)
        defer {
            link.close()
            if link.hasHeardService { backoff.reset() }
        }
        try link.greet()
        // Input that waits for an executor is never as late as what is read after a suspension of the process.
        var coordinator = ReadinessCoordinator(
            source: link, wakeUp: wakeUp, clock: clock, tolerance: timing.lateness, limit: timing.standstill
        ) { [hub] in hub.executor }
        defer { coordinator.deregister() }
        while hub.isWanted { try coordinator.run() }
    }
}
