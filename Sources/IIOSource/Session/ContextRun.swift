// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Logging

/// The work of a context's thread: opens it, starts and stops the readers of its devices, watches them, and starts over
/// when something is lost.
///
/// It lives on one thread, and every call of `step` looks at everything once.
final class ContextRun {
    /// Seconds in which a device has to be set up.
    static let armingLimit = 3.0
    /// Seconds after which a thread that does not come back is left to itself.
    static let abandonLimit = 30.0
    /// Seconds between looks at the readers.
    static let watchInterval = 1.0
    /// The most threads that are left to themselves.
    private static let mostAbandoned = 4
    /// A jump of suspend time over other time by that many seconds is a sleep of the machine.
    private static let leastSleep = 0.5

    private let session: ContextSession
    private let hub: MotionHub
    private let catalog: Catalog
    private let parts: SourceParts
    private let log = Logger(label: "device-services.motion")

    private var connection: (any IIOConnection)?
    private var presence: [String]?
    /// True when the context shows other devices than there were when it was opened.
    private var isDoubtful = false
    private var doubtAt = BootTime.zero
    private var units: [RunningUnit] = []
    private var names = DeviceNames()
    private var backoff: Backoff
    private var connectAt = BootTime.zero
    private var lookAt = BootTime.zero
    private var sleepOffset: Int64?
    private var abandoned: [DeviceReader] = []

    init(session: ContextSession, hub: MotionHub, catalog: Catalog) {
        self.session = session
        self.hub = hub
        self.catalog = catalog
        parts = session.parts
        backoff = Backoff(first: parts.options.firstRetry, limit: parts.options.lastRetry)
    }

    private var address: MotionSourceAddress { session.address }
    private var clock: any DeviceClock { parts.clock }

    /// Looks at everything once. When to look again at the latest, or nil when there is nothing left to do.
    func step() -> BootTime? {
        let now = clock.now
        abandoned.removeAll { $0.isEnded }
        for unit in units { settle(unit, now: now) }
        units.removeAll { $0.isGone && $0.reader == nil }
        if needsConnection(now) { connect(now) }
        noticeSleep()
        for unit in units { drive(unit, now: now) }
        publish()
        let isBusy = units.contains { $0.reader != nil }
        guard isBusy || session.isNeeded(hub) else {
            connection = nil
            return nil
        }
        return deadline(now: now, isBusy: isBusy)
    }

    private func deadline(now: BootTime, isBusy: Bool) -> BootTime {
        var deadline = BootTime.never
        if isBusy { deadline = now.advanced(bySeconds: Self.watchInterval) }
        if connection == nil, session.isNeeded(hub) { deadline = min(deadline, connectAt) }
        if hub.isMissingSensor { deadline = min(deadline, lookAt) }
        for unit in units {
            if let watch = unit.watch { deadline = min(deadline, watch.deadline) }
            if let retry = unit.bufferRetryAt, unit.wanted != nil { deadline = min(deadline, retry) }
            if unit.reader == nil, unit.wanted != nil { deadline = min(deadline, unit.retryAt) }
        }
        // Never at once: a thing that stays due must not keep the processor busy.
        return max(deadline, now.advanced(bySeconds: 0.005))
    }

    // MARK: The context

    private func needsConnection(_ now: BootTime) -> Bool {
        if session.wantsDiscovery { return true }
        // A sensor that is waited for may have come, or one that is there may have gone.
        if let present = parts.library.devices(at: address) {
            lookAt = now.advanced(bySeconds: parts.options.searchInterval)
            if present != presence || isDoubtful && now >= doubtAt { return session.isNeeded(hub) }
        }
        guard now >= connectAt else { return false }
        if connection == nil { return session.isNeeded(hub) }
        guard now >= lookAt, hub.isMissingSensor else { return false }
        lookAt = now.advanced(bySeconds: parts.options.searchInterval * 5)
        return true
    }

    private func connect(_ now: BootTime) {
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
            // A machine without sensors is nothing to be warned of.
            if session.isNews(problem) {
                log.log(level: address.backend == .local && problem.code == .notFound ? .debug : .warning, "\(problem)")
            }
            for unit in units where unit.reader == nil { lose(unit, problem) }
            session.finishDiscovery(problem, presence: present)
        }
        lookAt = clock.now.advanced(bySeconds: parts.options.searchInterval)
    }

    /// The names of a context's devices, as `IIOLibrary.devices(at:)` gives them.
    private static func names(_ context: IIOContext) -> [String] {
        context.devices.map(\.id).filter { $0.hasPrefix("iio:device") || $0.hasPrefix("trigger") }.sorted()
    }

    private var sensorIDs: [SensorDescription.ID] {
        units.filter { !$0.isGone }.flatMap { $0.unit.members.map(\.description.id) }
    }

    /// Takes over what a new context shows. Readers that run go on with the context they have.
    private func adopt(_ opened: any IIOConnection) {
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
            unit.isGone = true
            unit.reader?.set(nil, now: clock.now)
            let failure = IIOFailure.gone(unit.unit.deviceID)
            lose(unit, failure.error(.stream(device: unit.unit.deviceID, address: address)))
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

    private var xml = ""

    private func publish() {
        guard !xml.isEmpty else { return }
        catalog.update(
            session.index, sensors: units.filter { !$0.isGone }.flatMap(\.descriptions), xml: xml, hub: hub)
    }

    /// After a sleep of the machine drivers may have forgotten their settings.
    private func noticeSleep() {
        guard let monotonic = parts.library.time(of: "monotonic") else { return }
        let offset = clock.now.nanoseconds.subtractingSaturated(monotonic)
        defer { sleepOffset = offset }
        guard let sleepOffset, Double(offset.subtractingSaturated(sleepOffset)) > Self.leastSleep * 1e9 else { return }
        for unit in units {
            unit.reader?.restart(now: clock.now)
            unit.watch = nil
        }
    }

    // MARK: Devices

    /// Takes note of what a reader has come to.
    private func settle(_ unit: RunningUnit, now: BootTime) {
        guard let reader = unit.reader else { return }
        unit.facts = reader.facts
        let (phase, since) = reader.phase
        guard case .ended(let failure) = phase else {
            watch(unit, reader, phase: phase, since: since, now: now)
            return
        }
        if unit.hasFlowed(reader) { unit.backoff.reset() }
        unit.reader = nil
        unit.watch = nil
        unit.takeReplacement()
        guard let failure else { return }
        switch failure.remedy {
        case .poll(let remark):
            fallBack(unit, now: now, remark)
            return
        case .retry: break
        case .reconnect: connection = nil
        }
        lose(unit, failure.error)
        unit.retryAt = now.advanced(bySeconds: unit.backoff.take())
        connectAt = max(connectAt, unit.retryAt)
    }

    private func lose(_ unit: RunningUnit, _ error: DeviceError) {
        unit.isLost = true
        for member in unit.unit.members { hub.postLost(error, sensor: member.description.id) }
    }

    /// Starts, changes or stops the reader of a device as it is wanted now.
    private func drive(_ unit: RunningUnit, now: BootTime) {
        unit.retryBuffer(now: now)
        let plan =
            unit.isGone ? nil : UnitPlan.plan(for: unit.unit, isPolled: unit.isFallenBack) { hub.demand(of: $0) }
        tellProblems(of: unit)
        let hasNewWish = plan != nil && unit.wanted == nil
        unit.wanted = plan
        if plan == nil { unit.isLost = false }
        if let reader = unit.reader {
            if reader.plan != plan {
                reader.set(plan, now: now)
                unit.watch = nil
                if plan == nil { unit.leavingSince = unit.leavingSince ?? now } else { unit.leavingSince = nil }
            }
            abandonIfStuck(unit, reader, now: now)
            return
        }
        guard let plan else { return }
        if hasNewWish {
            // Who comes anew shall not wait for what others have seen fail.
            unit.backoff.reset()
            unit.retryAt = min(unit.retryAt, now.advanced(bySeconds: parts.options.firstRetry))
        }
        guard now >= unit.retryAt, let connection else { return }
        unit.takeReplacement()
        start(unit, plan, unit.connection ?? connection, now: now)
    }

    private func start(_ unit: RunningUnit, _ plan: UnitPlan, _ connection: any IIOConnection, now: BootTime) {
        let bell = session.bell
        let reader = DeviceReader(plan: plan, now: now) { bell.ring() }
        let reading = Reading(
            reader: reader, unit: unit.unit, connection: connection, library: parts.library, address: address, hub: hub,
            clock: clock, options: parts.options, isSeeding: !unit.isLost)
        unit.reader = reader
        unit.leavingSince = nil
        if plan.isPolled, unit.unit.members.contains(where: { !$0.sensor.canBuffer }) {
            let text =
                "\(unit.unit.deviceID) at \(address) offers no buffer, so it is read axis by axis. It may lack an interrupt line."
            if session.isNews(remark: text) { log.notice("\(text)") }
        }
        do throws(DeviceError) {
            try parts.spawn { reading.run() }
        } catch {
            unit.reader = nil
            lose(unit, error)
            unit.retryAt = now.advanced(bySeconds: unit.backoff.take())
        }
    }

    /// A sensor whose readings cannot be right is told as lost to those who ask for it.
    private func tellProblems(of unit: RunningUnit) {
        for member in unit.unit.members {
            guard let problem = member.sensor.problem, hub.demand(of: member.description.id) != nil else { continue }
            hub.postLost(problem, sensor: member.description.id)
        }
    }

    // MARK: Watching

    private func watch(
        _ unit: RunningUnit, _ reader: DeviceReader, phase: DeviceReader.Phase, since: BootTime, now: BootTime
    ) {
        if reader.isDelivering { unit.deliveredAt = now }
        switch phase {
        case .ended: return
        case .arming:
            unit.watch = nil
            if reader.plan != nil, now.seconds(since: max(since, unit.deliveredAt)) >= Self.armingLimit {
                lose(unit, notAnswering(unit))
            }
        case .polling(let interval):
            unit.watch = nil
            guard reader.plan != nil else { return }
            if unit.lastProgress != reader.progress || unit.progressAt == nil || reader.isDelivering {
                if unit.progressAt != nil { unit.isLost = false }
                unit.lastProgress = reader.progress
                unit.progressAt = now
            } else if let at = unit.progressAt, now.seconds(since: at) > Self.armingLimit + 5 * interval {
                lose(unit, notAnswering(unit))
            }
        case .capturing(let plan, let start):
            guard reader.plan != nil else { return }
            if unit.watchedSince != since || unit.watch == nil {
                unit.watchedSince = since
                unit.watch = StallWatch(
                    plan: plan, isEventDriven: unit.unit.isEventDriven, isSecondTry: unit.isSecondTry,
                    progress: start, now: since)
            }
            look(unit, reader, now: now)
        }
    }

    private func look(_ unit: RunningUnit, _ reader: DeviceReader, now: BootTime) {
        let isPresent = (unit.connection ?? connection)?.isPresent(unit.unit.device) ?? true
        if !isPresent {
            // The kernel does not wake a reader whose device goes.
            unit.isGone = true
            reader.set(nil, now: now)
            connection = nil
            let failure = IIOFailure.gone(unit.unit.deviceID)
            lose(unit, failure.error(.stream(device: unit.unit.deviceID, address: address)))
            return
        }
        if reader.isDelivering { unit.watch?.hold(now: now) }
        guard let verdict = unit.watch?.check(progress: reader.progress, now: now) else { return }
        switch verdict {
        case .none:
            if unit.watch?.isFlowing == true { unit.noteFlow() }
        case .restart:
            restart(unit, reader, now: now)
        case .stalled:
            lose(unit, silent(unit))
            restart(unit, reader, now: now)
        case .giveUp:
            unit.watch = nil
            if unit.unit.members.contains(where: { $0.sensor.canPoll }) {
                fallBack(
                    unit, now: now,
                    "Its buffer gives no samples, so it is read axis by axis. Check its trigger and interrupt line.")
            } else {
                lose(unit, silent(unit))
                unit.retryAt = now.advanced(bySeconds: unit.backoff.take())
                reader.set(nil, now: now)
            }
        }
    }

    private func restart(_ unit: RunningUnit, _ reader: DeviceReader, now: BootTime) {
        unit.isSecondTry = true
        unit.watch = nil
        reader.restart(now: now)
    }

    /// Reads a device axis by axis from now on, and says why, once.
    private func fallBack(_ unit: RunningUnit, now: BootTime, _ remark: String) {
        unit.fallBack(remark, now: now)
        let text = "\(unit.unit.deviceID) at \(address): \(remark)"
        if session.isNews(remark: text) { log.warning("\(text)") }
    }

    private func abandonIfStuck(_ unit: RunningUnit, _ reader: DeviceReader, now: BootTime) {
        guard let since = unit.leavingSince, now.seconds(since: since) > Self.abandonLimit,
            abandoned.count < Self.mostAbandoned
        else { return }
        abandoned.append(reader)
        unit.reader = nil
        unit.watch = nil
        unit.leavingSince = nil
    }

    private func silent(_ unit: RunningUnit) -> DeviceError {
        IIOFailure.silence.error(.stream(device: unit.unit.deviceID, address: address))
    }

    private func notAnswering(_ unit: RunningUnit) -> DeviceError {
        DeviceError(
            .silent,
            "\(unit.unit.deviceID) at \(address) does not answer. If it is on the network, check the connection and whether iiod runs; it is tried again."
        )
    }
}
