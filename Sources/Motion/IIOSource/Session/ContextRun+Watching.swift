// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Logging

/// Watching the readers of devices, and what follows from it.
extension ContextRun {
    func watch(_ unit: RunningUnit, _ reader: DeviceReader, _ stage: DeviceReader.Stage, now: BootTime) {
        guard reader.plan != nil else { return unit.watch = nil }
        if unit.watchedStage != stage.number { unit.watch = nil }
        unit.watchedStage = stage.number
        switch stage.phase {
        case .ended: return
        case .arming:
            // Its facts are those of before.
            return lookForLife(unit, reader, limit: Self.armingLimit, since: stage.since, now: now)
        case .polling(let interval):
            lookForLife(unit, reader, limit: Self.armingLimit + 5 * interval, since: stage.since, now: now)
            if unit.watch?.isFlowing == true { unit.isLost = false }
        case .capturing(let plan, let start):
            unit.watch =
                unit.watch
                ?? StallWatch(
                    plan: plan, isEventDriven: unit.unit.isEventDriven, isSecondTry: unit.isSecondTry, progress: start,
                    now: stage.since)
            look(unit, reader, now: now)
        }
        if !unit.facts.refused.isEmpty { retrySettings(unit, reader, now: now) }
    }

    /// Logs settings that were refused, and sets the device up again when they have become writable.
    ///
    /// udev grants access only after a device has appeared, and a device that is plugged in again may be opened before.
    private func retrySettings(_ unit: RunningUnit, _ reader: DeviceReader, now: BootTime) {
        for remark in unit.facts.remarks {
            let text = "\(name(of: unit)): \(remark)"
            if session.isNews(remark: text) { log.warning("\(text)") }
        }
        guard let connection = unit.connection ?? connection, unit.facts.refused.contains(where: connection.isWritable)
        else { return }
        unit.facts.refused = []
        unit.watch = nil
        reader.restart(now: now)
    }

    /// Tells that a device does not answer, which is all that can be done about it.
    private func lookForLife(_ unit: RunningUnit, _ reader: DeviceReader, limit: Double, since: BootTime, now: BootTime)
    {
        var watch = unit.watch ?? StallWatch(limit: limit, progress: reader.life, now: since)
        if reader.isDelivering { watch.hold(now: now) }
        if watch.check(progress: reader.life, now: now) != .none {
            lose(unit, notAnswering(unit))
            watch = StallWatch(limit: limit, progress: reader.life, now: now)
        }
        unit.watch = watch
    }

    func look(_ unit: RunningUnit, _ reader: DeviceReader, now: BootTime) {
        let isPresent = (unit.connection ?? connection)?.isPresent(unit.unit.device) ?? true
        if !isPresent {
            // The kernel does not wake a reader whose device goes.
            connection = nil
            return leave(unit, now: now)
        }
        if reader.isDelivering { unit.watch?.hold(now: now) }
        guard let verdict = unit.watch?.check(progress: reader.progress, now: now) else { return }
        switch verdict {
        case .none:
            if unit.watch?.isFlowing == true { unit.noteFlow() }
        case .restart:
            restart(unit, reader, now: now)
        case .stalled:
            lose(unit, failed(unit, .silence))
            restart(unit, reader, now: now)
        case .giveUp:
            unit.watch = nil
            if unit.unit.members.contains(where: { $0.sensor.canPoll }) {
                fallBack(
                    unit, now: now,
                    "Its buffer gives no samples, so it is read axis by axis. Check its trigger and interrupt line.")
            } else {
                lose(unit, failed(unit, .silence))
                unit.retryAt = now.advanced(bySeconds: unit.backoff.take())
                reader.set(nil, now: now)
            }
        }
    }

    /// The device is not there any more.
    func leave(_ unit: RunningUnit, now: BootTime) {
        unit.isGone = true
        unit.endReader(now: now)
        lose(unit, failed(unit, .gone(unit.unit.deviceID)))
    }

    func restart(_ unit: RunningUnit, _ reader: DeviceReader, now: BootTime) {
        unit.isSecondTry = true
        if reader.plan?.thins == true { unit.gathers = false }
        unit.watch = nil
        reader.restart(now: now)
    }

    /// The device's id, with the address of the server if it is not of this machine.
    private func name(of unit: RunningUnit) -> String {
        address.backend == .local ? unit.unit.deviceID : "\(unit.unit.deviceID) at \(address)"
    }

    /// Reads a device axis by axis from now on, and logs the reason once.
    func fallBack(_ unit: RunningUnit, now: BootTime, _ remark: String, isForbidden: Bool = false) {
        unit.fallBack(remark, isForbidden: isForbidden, now: now)
        let text = "\(name(of: unit)): \(remark)"
        if session.isNews(remark: text) { log.warning("\(text)") }
    }

    func abandonIfStuck(_ unit: RunningUnit, _ reader: DeviceReader, now: BootTime) {
        guard let since = unit.leavingSince, now.seconds(since: since) > Self.abandonLimit,
            session.abandonedCount < Self.mostAbandoned
        else { return }
        session.abandon(reader)
        unit.reader = nil
        unit.watch = nil
        unit.leavingSince = nil
    }

    func failed(_ unit: RunningUnit, _ failure: IIOFailure) -> DeviceError {
        failure.error(.stream(device: unit.unit.deviceID, address: address))
    }

    func notAnswering(_ unit: RunningUnit) -> DeviceError {
        DeviceError(
            .silent,
            "\(unit.unit.deviceID) at \(address) does not answer. If it is on the network, check the connection and whether iiod runs; it is tried again."
        )
    }
}
