// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Logging

/// Opening a context, and knowing what is in it.
extension ContextRun {
    func needsConnection(_ now: BootTime) -> Bool {
        if session.wantsDiscovery { return true }
        // A sensor that is waited for may have come, or one that is there may have gone.
        if let present = parts.library.devices(at: address) {
            lookAt = now.advanced(bySeconds: searchInterval)
            if present != presence || isDoubtful && now >= doubtAt { return session.isNeeded(hub) }
        }
        guard now >= connectAt else { return false }
        if connection == nil { return session.isNeeded(hub) }
        guard now >= lookAt, isLackingSensor else { return false }
        lookAt = now.advanced(bySeconds: parts.options.searchInterval * 5)
        return true
    }

    /// True when somebody waits for a sensor, or for one that had no values to go by: the device may have been away when
    /// the context was opened, and a server does not tell when it is back.
    var isLackingSensor: Bool {
        if hub.isMissingSensor { return true }
        guard presence == nil else { return false }
        return units.contains { unit in
            unit.unit.members.contains { $0.sensor.problem != nil && hub.demand(of: $0.description.id) != nil }
        }
    }

    func connect() {
        let present = parts.library.devices(at: address)
        presence = present
        do throws(IIOFailure) {
            let opened = try parts.library.open(address)
            connection = opened
            backoff.reset()
            adopt(opened)
            isDoubtful = present.map { $0 != Self.names(opened.context) } ?? false
            doubtAt = clock.now.advanced(bySeconds: parts.options.searchInterval * 2)
            // Before those who wait for it go on.
            publish()
            session.finishDiscovery(nil, sensors: sensorIDs, presence: present)
        } catch {
            connection = nil
            let problem = error.error(.open(address))
            connectAt = clock.now.advanced(bySeconds: backoff.take())
            doubtAt = connectAt
            // A machine without sensors is nothing to be warned of.
            if session.isNews(problem) {
                log.log(level: address.backend == .local && problem.code == .notFound ? .debug : .warning, "\(problem)")
            }
            for unit in units where unit.reader == nil { lose(unit, problem) }
            // Those that a thread before this one has found.
            let shown = sensorIDs
            for sensor in session.sensors where !shown.contains(sensor) {
                hub.setStatus(.unavailable(problem), of: sensor)
            }
            session.finishDiscovery(problem, presence: present)
        }
        lookAt = clock.now.advanced(bySeconds: searchInterval)
    }

    /// Seconds between looks for devices; more when somebody says which come, though a word of the kernel may be lost.
    var searchInterval: Double {
        let interval = parts.options.searchInterval
        return address.backend == .local && parts.watch.isOn ? interval * Self.watchedFactor : interval
    }

    /// The names of a context's devices, as `IIOLibrary.devices(at:)` gives them.
    static func names(_ context: IIOContext) -> [String] {
        context.devices.map(\.id).filter { $0.hasPrefix("iio:device") || $0.hasPrefix("trigger") }.sorted()
    }

    var sensorIDs: [SensorDescription.ID] {
        units.filter { !$0.isGone }.flatMap { $0.unit.members.map(\.description.id) }
    }

    /// Takes over what a new context shows. Readers that run go on with the context they have.
    func adopt(_ opened: any IIOConnection) {
        let context = opened.context
        var known: [(id: String, fingerprint: String)] = []
        _ = SensorUnit.units(of: context, address: address, settings: parts.settings) { id, fingerprint in
            known.append((id, fingerprint))
            return id
        }
        let keys = names.update(known)
        let found = SensorUnit.units(
            of: context, address: address, settings: parts.settings,
            udev: { property, device in opened.udevProperty(property, of: device) },
            key: { id, _ in keys[id] ?? id })
        for unit in units where !found.contains(where: { $0.key == unit.unit.key }) {
            leave(unit, now: clock.now)
        }
        for unit in found {
            if let running = units.first(where: { $0.unit.key == unit.key && !$0.isGone }) {
                running.replacement = (unit, opened)
                if running.reader == nil { running.takeReplacement() }
            } else {
                units.append(RunningUnit(unit, connection: opened, options: parts.options))
            }
        }
        xml = context.xml(includingValues: true)
    }

    func publish() {
        guard !xml.isEmpty else { return }
        catalog.update(session.index, sensors: units.filter { !$0.isGone }.flatMap(\.descriptions), xml: xml, hub: hub)
    }

    /// After a sleep of the machine drivers may have forgotten their settings.
    func noticeSleep() {
        guard let monotonic = parts.library.time(of: "monotonic") else { return }
        let offset = clock.now.nanoseconds.subtractingSaturated(monotonic)
        defer { sleepOffset = offset }
        guard let sleepOffset, Double(offset.subtractingSaturated(sleepOffset)) > Self.leastSleep * 1e9 else { return }
        for unit in units {
            unit.reader?.restart(now: clock.now)
            unit.watch = nil
        }
    }
}
