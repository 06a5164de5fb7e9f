// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Logging

/// Watching the readers of devices, and what follows from it.
extension ContextRun {
    func watch(_ unit: RunningUnit, _ reader: DeviceReader, phase: DeviceReader.Phase, since: BootTime, now: BootTime) {
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

    func look(_ unit: RunningUnit, _ reader: DeviceReader, now: BootTime) {
        let isPresent = (unit.connection ?? connection)?.isPresent(unit.unit.device) ?? true
        if !isPresent {
            // The kernel does not wake a reader whose device goes.
            unit.isGone = true
            unit.endReader(now: now)
            connection = nil
            return lose(unit, failed(unit, .gone(unit.unit.deviceID)))
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

    func restart(_ unit: RunningUnit, _ reader: DeviceReader, now: BootTime) {
        unit.isSecondTry = true
        if reader.plan?.thins == true { unit.gathers = false }
        unit.watch = nil
        reader.restart(now: now)
    }

    /// Reads a device axis by axis from now on, and says why, once.
    func fallBack(_ unit: RunningUnit, now: BootTime, _ remark: String) {
        unit.fallBack(remark, now: now)
        let text = "\(unit.unit.deviceID) at \(address): \(remark)"
        if session.isNews(remark: text) { log.warning("\(text)") }
    }

    func abandonIfStuck(_ unit: RunningUnit, _ reader: DeviceReader, now: BootTime) {
        guard let since = unit.leavingSince, now.seconds(since: since) > Self.abandonLimit,
            abandoned.count < Self.mostAbandoned
        else { return }
        abandoned.append(reader)
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
