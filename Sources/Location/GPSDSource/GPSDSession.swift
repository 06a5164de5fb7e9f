// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol

/// The loop of the source's thread: connect, read until the connection ends, pause, repeat.
final class GPSDSession: Sendable {
    private let settings: GPSDSettings
    private let hub: PositionHub
    private let wakeUp: WakeupPipe
    private let count: @Sendable (GPSDStatistics) -> Void

    private var address: PositionSourceAddress { settings.address }
    private var clock: any DeviceClock { settings.clock }
    private var timing: GPSDTiming { settings.timing }

    init(
        _ settings: GPSDSettings, hub: PositionHub, wakeUp: WakeupPipe,
        count: @escaping @Sendable (GPSDStatistics) -> Void
    ) {
        (self.settings, self.hub, self.wakeUp, self.count) = (settings, hub, wakeUp, count)
    }

    func run() {
        var backoff = Backoff(first: timing.initialRetryDelay, limit: timing.maximumRetryDelay)
        while hub.hasSubscribers {
            let demand = hub.demand
            do throws(DeviceError) {
                let decoder = try makeDecoder()
                guard let socket = try connect() else { continue }
                try run(socket, decoder: decoder, backoff: &backoff)
            } catch {
                hub.setStatus(.unavailable(error))
                pause(seconds: backoff.nextDelay(), demand: demand)
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
                "\(address) requires libgps, but this program was built without the LibGPS trait. Use gpsd://, or build with the trait."
            )
            #endif
        case .mqtt, .mqtts:
            throw DeviceError(
                .notSupported,
                "\(address) requires MQTT, but this program was built without the LibMosquitto trait. Build it with --traits default,LibMosquitto."
            )
        }
    }

    private func connect() throws(DeviceError) -> Socket? {
        var failure: DeviceError?
        for target in try Socket.resolve(address) {
            guard hub.hasSubscribers else { return nil }
            do throws(DeviceError) {
                return try Socket.connect(
                    target, name: address, within: timing.connectTimeout, wakeUp: wakeUp, clock: clock,
                    isCancelled: { !hub.hasSubscribers })
            } catch {
                failure = error
            }
        }
        throw failure
            ?? DeviceError(.unreachable, "The host name of \(address) resolves to no address. Check the name.")
    }

    /// Waits before reconnecting. The wait ends early if the last subscriber leaves, even if a new subscriber joins
    /// immediately, so that the new subscriber does not have to wait.
    private func pause(seconds: Double, demand: UInt64) {
        let end = clock.now.advanced(bySeconds: seconds)
        while hub.hasSubscribers, hub.demand == demand, clock.now < end {
            _ = wakeUp.wait(for: nil, until: end, clock: clock)
        }
    }

    /// Reads until there are no subscribers. Throws an error when the connection ends.
    private func run(
        _ socket: consuming Socket, decoder: sending any ReportDecoder, backoff: inout Backoff
    ) throws(DeviceError) {
        let connection = GPSDConnection(settings, socket: socket, decoder: decoder, hub: hub, count: count)
        defer {
            connection.close()
            if connection.hasReceivedValidLine { backoff.reset() }
        }
        try connection.requestReports()
        var coordinator = ReadinessCoordinator(
            source: connection, wakeUp: wakeUp, clock: clock, tolerance: timing.tolerance,
            limit: timing.suspensionThreshold
        ) { [hub] in hub.executor }
        defer { coordinator.deregister() }
        while hub.hasSubscribers { try coordinator.run() }
    }
}
