// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Logging

/// Opens and searches the context, and updates its devices. Used only on the context's thread.
extension ContextSupervisor {
    /// Returns true if the context must be opened now. If the devices could be listed, also schedules the next search.
    func needsOpening(_ now: BootTime) -> Bool {
        if session.wantsDiscovery { return true }
        if let present = dependencies.library.devices(at: address) {
            search.nextSearchTime = now.advanced(bySeconds: searchInterval)
            if search.isOutdated(present: present, now: now) { return session.isNeeded(hub) }
        }
        guard now >= search.opening.time else { return false }
        if connection == nil { return session.isNeeded(hub) }
        return now >= search.nextSearchTime && needsSearch
    }

    /// True if a subscribed sensor is missing or has an incomplete description. The source must then search for the
    /// sensor, because a server does not report when a device returns.
    var needsSearch: Bool {
        if hub.isMissingSensor { return true }
        guard search.presence == nil else { return false }
        return devices.contains { device in
            device.group.members.contains { $0.sensor.problem != nil && hub.demand(of: $0.description.id) != nil }
        }
    }

    func openContext() {
        let present = dependencies.library.devices(at: address)
        search.presence = present
        do throws(IIOFailure) {
            let opened = try dependencies.library.open(address)
            context = .open(opened, xml: opened.context.xml(includingValues: true))
            adopt(opened)
            search.finish(
                contextDevices: Self.deviceNames(opened.context),
                recheckTime: clock.now.advanced(bySeconds: dependencies.options.searchInterval * 2))
            // Publish the sensors before resuming the callers that are waiting for discovery.
            publish()
            session.finishDiscovery(nil, sensors: sensorIDs, presence: present)
        } catch {
            closeContext()
            let problem = error.error(.open(address))
            search.fail(now: clock.now)
            if session.recordIfNew(problem) {
                log.log(level: address.backend == .local && problem.code == .notFound ? .debug : .warning, "\(problem)")
            }
            for device in devices where device.reader == nil { setUnavailable(device, problem) }
            // An earlier thread of the session may have found other sensors. Mark them as unavailable, too.
            let current = sensorIDs
            for sensor in session.sensors where !current.contains(sensor) {
                hub.setStatus(.unavailable(problem), of: sensor)
            }
            session.finishDiscovery(problem, presence: present)
        }
        search.nextSearchTime = clock.now.advanced(bySeconds: searchInterval)
    }

    /// The interval between searches, in seconds. Searches are needed even while `DeviceWatch` is on, because a
    /// notification may be lost.
    var searchInterval: Double {
        let interval = dependencies.options.searchInterval
        return address.backend == .local && dependencies.watch.isOn ? interval * Self.monitoredFactor : interval
    }

    private static func deviceNames(_ context: IIOContext) -> [String] {
        context.devices.map(\.id).filter { $0.hasPrefix("iio:device") || $0.hasPrefix("trigger") }.sorted()
    }

    private var sensorIDs: [SensorDescription.ID] { devices.flatMap { $0.group.members.map(\.description.id) } }

    /// Updates the devices from a newly opened context. Running readers keep using the previous context.
    private func adopt(_ opened: any IIOConnection) {
        let context = opened.context
        // The first call only collects the devices' IDs and fingerprints, which are all needed to derive the keys for
        // the second call.
        var known: [(id: String, fingerprint: String)] = []
        _ = DeviceGroup.groups(in: context, address: address, settings: dependencies.settings) { id, fingerprint in
            known.append((id, fingerprint))
            return id
        }
        let keys = nameTable.update(known)
        let groups = DeviceGroup.groups(
            in: context, address: address, settings: dependencies.settings,
            udev: { property, device in opened.udevProperty(property, of: device) }, key: { id, _ in keys[id] ?? id })
        for device in devices where !groups.contains(where: { $0.key == device.group.key }) {
            remove(device, now: clock.now)
        }
        for group in groups {
            let discovery = ActiveDevice.Discovery(group: group, connection: opened)
            if let device = devices.first(where: { $0.group.key == group.key }) {
                device.set(discovery)
            } else {
                devices.append(ActiveDevice(discovery, options: dependencies.options))
            }
        }
    }

    func closeContext() { if case .open(_, let xml) = context { context = .closed(xml: xml) } }

    func publish() {
        switch context {
        case .closed(xml: ""): break
        case .closed(let xml), .open(_, let xml):
            catalog.update(session.index, sensors: devices.flatMap(\.descriptions), xml: xml, hub: hub)
        }
    }

    /// Sets up the devices again after a system suspend, because their drivers may have lost their settings.
    func restartAfterSuspension() {
        guard let monotonic = dependencies.library.time(of: "monotonic") else { return }
        let current = clock.now.nanoseconds.subtractingSaturated(monotonic)
        defer { suspendedTime = current }
        guard let suspendedTime, Double(current.subtractingSaturated(suspendedTime)) > Self.minimumSuspension * 1e9
        else { return }
        for device in devices { device.restart(now: clock.now) }
    }
}

/// The schedule for opening a context and for searching it for added and removed devices.
struct DeviceSearch {
    /// The devices listed just before the context was last opened, or nil if listing them requires opening the context.
    var presence: [String]?
    var nextSearchTime = BootTime.zero
    /// The time at which to reopen the context if its devices differed from the list, otherwise nil.
    private(set) var recheckTime: BootTime?
    /// Determines the earliest time at which a reconnection or a periodic search may open the context.
    var opening: RetryTimer

    mutating func finish(contextDevices: [String], recheckTime: BootTime) {
        opening.resetDelay()
        self.recheckTime = presence.map { $0 != contextDevices } ?? false ? recheckTime : nil
    }

    mutating func fail(now: BootTime) {
        opening.recordFailure(now: now)
        if recheckTime != nil { recheckTime = opening.time }
    }

    func isOutdated(present: [String], now: BootTime) -> Bool {
        present != presence || recheckTime.map { now >= $0 } ?? false
    }

    /// The time of the next search. A search that must open the context is not due before `opening.time`.
    var deadline: BootTime { presence == nil ? max(nextSearchTime, opening.time) : nextSearchTime }
}

/// Assigns names that devices keep when they are reconnected under a different number. The table is kept only in
/// memory.
struct DeviceNameTable {
    private struct Entry {
        let key: String
        let fingerprint: String
        /// The current ID, or nil while the device is absent.
        var id: String?
    }

    private static let capacity = 256

    private var entries: [Entry] = []

    /// Returns the names of the devices, keyed by device ID.
    mutating func update(_ devices: [(id: String, fingerprint: String)]) -> [String: String] {
        for index in entries.indices {
            let entry = entries[index]
            if !devices.contains(where: { $0.id == entry.id && $0.fingerprint == entry.fingerprint }) {
                entries[index].id = nil
            }
        }
        var names: [String: String] = [:]
        for device in devices {
            // If several unused names have this fingerprint, prefer the one that equals the device's ID.
            let unused = entries.indices.filter {
                entries[$0].id == nil && entries[$0].fingerprint == device.fingerprint
            }
            if let index = entries.firstIndex(where: { $0.id == device.id })
                ?? unused.first(where: { entries[$0].key == device.id }) ?? unused.first
            {
                entries[index].id = device.id
                names[device.id] = entries[index].key
                continue
            }
            entries.removeAll { $0.id == nil && $0.key == device.id }
            var key = device.id
            while entries.contains(where: { $0.key == key }) { key += "+" }
            if entries.count >= Self.capacity { entries.removeAll { $0.id == nil } }
            entries.append(Entry(key: key, fingerprint: device.fingerprint, id: device.id))
            names[device.id] = key
        }
        return names
    }
}
