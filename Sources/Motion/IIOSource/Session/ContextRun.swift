// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Logging

/// The work of a context's thread: opens it, starts and stops the readers of its devices, watches them, and starts over
/// when something is lost.
///
/// It lives on one thread, and every call of `step` looks at everything once.
final class ContextRun {
    /// Seconds in which a device has to answer while it is set up or read axis by axis.
    static let armingLimit = 3.0
    /// Seconds after which a thread that does not come back is left to itself.
    static let abandonLimit = 30.0
    /// The most threads that are left to themselves.
    static let mostAbandoned = 4
    /// How many times as long as else it may take until devices are looked for though nobody has said that any came.
    static let watchedFactor = 15.0
    /// A jump of suspend time over other time by that many seconds is a sleep of the machine.
    static let leastSleep = 0.5

    let session: ContextSession
    let hub: MotionHub
    let catalog: Catalog
    let parts: SourceParts
    let log = Logger(label: "device-services.motion")

    var connection: (any IIOConnection)?
    var presence: [String]?
    /// True when the context shows other devices than there were when it was opened.
    var isDoubtful = false
    var doubtAt = BootTime.zero
    var units: [RunningUnit] = []
    var names = DeviceNames()
    var backoff: Backoff
    var connectAt = BootTime.zero
    var lookAt = BootTime.zero
    var sleepOffset: Int64?
    /// What the context said of itself when it was opened.
    var xml = ""

    init(session: ContextSession, hub: MotionHub, catalog: Catalog) {
        self.session = session
        self.hub = hub
        self.catalog = catalog
        parts = session.parts
        backoff = Backoff(first: parts.options.firstRetry, limit: parts.options.lastRetry)
    }

    var address: MotionSourceAddress { session.address }
    var clock: any DeviceClock { parts.clock }

    /// Looks at everything once. When to look again at the latest, or nil when there is nothing left to do.
    func step() -> BootTime? {
        // A loss that is told, and a look for devices, may take long: each has its own time.
        for unit in units { settle(unit, now: clock.now) }
        units.removeAll { $0.isGone && $0.reader == nil }
        if needsConnection(clock.now) { connect() }
        noticeSleep()
        for unit in units { drive(unit, now: clock.now) }
        publish()
        let isBusy = units.contains { $0.reader != nil }
        guard isBusy || session.isNeeded(hub) else {
            connection = nil
            return nil
        }
        return deadline(now: clock.now, isBusy: isBusy)
    }

    func deadline(now: BootTime, isBusy: Bool) -> BootTime {
        var deadline = BootTime.never
        if isBusy { deadline = now.advanced(bySeconds: StallWatch.interval) }
        if connection == nil, session.isNeeded(hub) { deadline = min(deadline, connectAt) }
        // Where the library tells which devices there are that is looked at whatever has failed.
        if isLackingSensor { deadline = min(deadline, presence == nil ? max(lookAt, connectAt) : lookAt) }
        if isDoubtful, hub.isMissingSensor { deadline = min(deadline, doubtAt) }
        for unit in units {
            if let watch = unit.watch { deadline = min(deadline, watch.deadline) }
            if let retry = unit.bufferRetryTime, unit.wanted != nil { deadline = min(deadline, retry) }
            // Without a context there is nothing to start.
            if unit.reader == nil, unit.wanted != nil, connection != nil { deadline = min(deadline, unit.retryAt) }
        }
        // Never at once: a thing that stays due must not keep the processor busy.
        return max(deadline, now.advanced(bySeconds: 0.005))
    }

    // MARK: Devices

    /// Takes note of what a reader has come to.
    func settle(_ unit: RunningUnit, now: BootTime) {
        guard let reader = unit.reader else { return }
        // Before the facts: a reader that has ended has noted all of them.
        let stage = reader.stage
        unit.facts = reader.facts
        guard case .ended(let failure) = stage.phase else {
            watch(unit, reader, stage, now: now)
            return
        }
        if reader.hasFlowed { unit.backoff.reset() }
        unit.reader = nil
        unit.watch = nil
        unit.takeReplacement()
        guard let failure else { return }
        if reader.plan?.thins == true, !reader.hasFlowed, failure.mayBeOfSize {
            unit.gathers = false
            unit.retryAt = now
            return
        }
        switch failure.remedy {
        case .poll(let remark):
            fallBack(unit, now: now, remark, isForbidden: failure.isForbidden)
            return
        case .retry: break
        case .reconnect: connection = nil
        }
        lose(unit, failure.error)
        unit.retryAt = now.advanced(bySeconds: unit.backoff.take())
        connectAt = max(connectAt, unit.retryAt)
    }

    func lose(_ unit: RunningUnit, _ error: DeviceError) {
        unit.isLost = true
        setStatus(.unavailable(error), of: unit)
    }

    private func setStatus(_ status: SourceStatus, of unit: RunningUnit) {
        for member in unit.unit.members { hub.setStatus(status, of: member.description.id) }
    }

    /// Starts, changes or stops the reader of a device as it is wanted now.
    func drive(_ unit: RunningUnit, now: BootTime) {
        unit.retryBuffer(now: now)
        let plan =
            unit.isGone
            ? nil
            : UnitPlan.plan(for: unit.unit, isPolled: unit.bufferFailure != nil, gathers: unit.gathers) {
                hub.demand(of: $0)
            }
        reportProblems(of: unit)
        let hasNewWish = plan?.active.contains { unit.wanted?.active.contains($0) != true } ?? false
        unit.wanted = plan
        if plan == nil, unit.isLost, !unit.isGone {
            unit.isLost = false
            setStatus(.unknown, of: unit)
        }
        if let reader = unit.reader {
            if plan == nil {
                unit.endReader(now: now)
            } else if reader.plan != plan, reader.plan != nil || now >= unit.retryAt {
                reader.set(plan, now: now)
                unit.leavingSince = nil
            }
            abandonIfStuck(unit, reader, now: now)
            return
        }
        guard let plan else { return }
        if hasNewWish {
            // Who comes anew shall not wait for what others have seen fail.
            unit.backoff.reset()
            let soon = now.advanced(bySeconds: parts.options.firstRetry)
            unit.retryAt = min(unit.retryAt, soon)
            connectAt = min(connectAt, soon)
        }
        guard now >= unit.retryAt, let connection else { return }
        unit.takeReplacement()
        start(unit, plan, unit.connection ?? connection, now: now)
    }

    func start(_ unit: RunningUnit, _ plan: UnitPlan, _ connection: any IIOConnection, now: BootTime) {
        let bell = session.bell
        let reader = DeviceReader(plan: plan, now: now, foundClock: unit.facts.foundClock) { bell.ring() }
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

    /// Makes sensors unavailable whose readings cannot be right.
    func reportProblems(of unit: RunningUnit) {
        for member in unit.unit.members {
            if let problem = member.sensor.problem { hub.setStatus(.unavailable(problem), of: member.description.id) }
        }
    }
}
