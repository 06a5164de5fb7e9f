// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore

/// Prints a monitor's events. Must be used on the main thread.
final class MonitorListener: StreamListener {
    let outlet: ReadingOutlet
    private let regions: [NamedRegion]
    private let consumers: ConsumerGate?
    private var monitor: CLMonitor?
    private var task: Task<Void, Never>?
    /// The conditions whose state changes are reported as crossings. Any other condition's first event reports its
    /// initial state.
    private var known: Set<String> = []

    init(_ regions: [NamedRegion], device: Device, outlet: ReadingOutlet) {
        (self.regions, self.outlet) = (regions, outlet)
        consumers = device.playback?.consumerGate
    }

    @MainActor func start() async {
        let monitor = await CLMonitor("sensorctl")
        self.monitor = monitor
        for identifier in await monitor.identifiers where !regions.contains(where: { $0.name == identifier }) {
            await monitor.remove(identifier)
        }
        for region in regions {
            let condition = CLMonitor.CircularGeographicCondition(center: region.center, radius: region.radius)
            // Keeps an identical condition from a previous run that was killed. Adding it again would repeat events.
            if let record = await monitor.record(for: region.name),
                let former = record.condition as? CLMonitor.CircularGeographicCondition, former.isSame(as: condition)
            {
                if record.lastEvent.state != .unknown { known.insert(region.name) }
                continue
            }
            await monitor.add(condition, identifier: region.name)
        }
        let events = await monitor.events
        task = Task { @MainActor [weak self] in
            var iterator = events.makeAsyncIterator()
            while let event = try? await iterator.next() { self?.process(event) }
        }
        // Waits until the loop has requested its first event, because playback would not wait for the loop before that.
        await consumers?.waitForConsumers(1)
    }

    @MainActor func end() async {
        task?.cancel()
        guard let monitor else { return }
        for identifier in await monitor.identifiers { await monitor.remove(identifier) }
    }

    private func process(_ event: CLMonitor.Event) {
        let isFirst = known.insert(event.identifier).inserted
        let (callback, state): (RegionReading.Callback, CLRegionState)
        switch event.state {
        case .satisfied: (callback, state) = (isFirst ? .didDetermineState : .didEnterRegion, .inside)
        case .unsatisfied: (callback, state) = (isFirst ? .didDetermineState : .didExitRegion, .outside)
        case .unknown, .unmonitored:
            outlet.printUncounted(RegionFailure(region: event.identifier, reason: event.reason))
            if event.authorizationDenied || event.authorizationRestricted || event.accuracyLimited {
                outlet.stopUnauthorized()
            }
            return
        }
        outlet.print(RegionReading(callback: callback, region: event.identifier, state: state, date: event.date))
    }
}

extension CLMonitor.CircularGeographicCondition {
    fileprivate func isSame(as other: Self) -> Bool {
        radius == other.radius && center.latitude == other.center.latitude && center.longitude == other.center.longitude
    }
}

extension CLMonitor.Event {
    fileprivate var reason: String {
        if authorizationDenied || authorizationRestricted { return "The use of the position is not allowed." }
        if accuracyLimited { return "Only reduced accuracy is allowed, which is too coarse for regions." }
        if conditionLimitExceeded { return "The monitor already has 20 conditions." }
        return conditionUnsupported ? "This device cannot monitor the region." : "The state of the region is unknown."
    }
}
