// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Logging

/// Monitoring of reader threads.
extension ContextSupervisor {
    /// Monitors the reader thread of a device in a stage.
    func monitor(_ device: ActiveDevice, _ stage: DeviceReader.Stage, now: BootTime) {
        guard case .active(let reader, _) = device.state else { return }
        switch stage.phase {
        case .ended: return
        case .arming:
            // Its facts are those of the stage before.
            return monitorAnswers(of: device, reader, stage, limit: Self.setupLimit, now: now)
        case .polling(let interval):
            monitorAnswers(of: device, reader, stage, limit: Self.setupLimit + 5 * interval, now: now)
        case .capturing(let plan, let start):
            monitorBuffer(of: device, reader, stage, plan, start: start, now: now)
        }
        if !device.facts.refused.isEmpty { retrySettings(of: device, now: now) }
    }

    /// Reports a device that does not answer.
    private func monitorAnswers(
        of device: ActiveDevice, _ reader: DeviceReader, _ stage: DeviceReader.Stage, limit: Double, now: BootTime
    ) {
        let isFlowing = device.updateDetector(of: stage) {
            StallDetector(limit: limit, progress: reader.life, now: stage.since)
        } _: { detector in
            if reader.isDelivering { detector.postpone(now: now) }
            if detector.check(progress: reader.life, now: now) != .none {
                setUnavailable(device, notAnswering(device))
                detector = StallDetector(limit: limit, progress: reader.life, now: now)
            }
            return detector.isFlowing
        }
        if case .polling = stage.phase, isFlowing == true { device.isUnavailable = false }
    }

    /// Restarts a buffer that delivers nothing, and then disables it.
    private func monitorBuffer(
        of device: ActiveDevice, _ reader: DeviceReader, _ stage: DeviceReader.Stage, _ plan: BufferPlan, start: Int,
        now: BootTime
    ) {
        guard device.found.connection.isPresent(device.unit.device) else {
            // The kernel does not wake a reader whose device was removed.
            connection = nil
            return remove(device, now: now)
        }
        let result = device.updateDetector(of: stage) {
            StallDetector(plan: plan, isEventDriven: device.unit.isEventDriven, progress: start, now: stage.since)
        } _: { detector in
            if reader.isDelivering { detector.postpone(now: now) }
            return (verdict: detector.check(progress: reader.progress, now: now), isFlowing: detector.isFlowing)
        }
        guard let result else { return }
        switch result.verdict {
        case .none:
            if result.isFlowing {
                device.buffer.recordSamples()
                device.isUnavailable = false
            }
        case .notStarted where !device.buffer.isLastAttempt: restart(device, reader, now: now)
        case .notStarted:
            if device.unit.members.contains(where: { $0.sensor.canPoll }) {
                disableBuffer(
                    of: device, now: now,
                    "Its buffer gives no samples, so it is read axis by axis. Check its trigger and interrupt line.")
            } else {
                setUnavailable(device, failed(device, .silence))
                device.retry.recordFailure(now: now)
                device.leave(now: now)
            }
        case .stalled:
            setUnavailable(device, failed(device, .silence))
            restart(device, reader, now: now)
        }
    }

    private func restart(_ device: ActiveDevice, _ reader: DeviceReader, now: BootTime) {
        device.buffer.recordRestart(decimates: reader.plan?.thins == true)
        device.restart(now: now)
    }

    /// Logs settings that were refused, and sets the device up again when they have become writable.
    ///
    /// udev grants access only after a device has appeared, and a device that is plugged in again may be opened before.
    private func retrySettings(of device: ActiveDevice, now: BootTime) {
        for remark in device.facts.remarks {
            let text = "\(name(of: device)): \(remark)"
            if session.isNews(remark: text) { log.warning("\(text)") }
        }
        guard device.facts.refused.contains(where: device.found.connection.isWritable) else { return }
        device.facts.refused = []
        device.restart(now: now)
    }

    /// Removes a device that is no longer present. Its reader thread ends by itself.
    func remove(_ device: ActiveDevice, now: BootTime) {
        if let reader = device.reader {
            device.leave(now: now)
            session.abandon(reader)
        }
        devices.removeAll { $0 === device }
        setUnavailable(device, failed(device, .gone(device.unit.deviceID)))
    }

    /// Reads a device axis by axis from now on, and logs the reason once.
    func disableBuffer(of device: ActiveDevice, now: BootTime, _ remark: String, isForbidden: Bool = false) {
        let isAccessible = device.found.connection.isNodeAccessible(device.unit.device) == true
        device.buffer.disable(remark, isForbidden: isForbidden, isAccessible: isAccessible, now: now)
        let text = "\(name(of: device)): \(remark)"
        if session.isNews(remark: text) { log.warning("\(text)") }
    }

    /// The device's id, with the address of the server if it belongs to another machine.
    private func name(of device: ActiveDevice) -> String {
        address.backend == .local ? device.unit.deviceID : "\(device.unit.deviceID) at \(address)"
    }

    private func failed(_ device: ActiveDevice, _ failure: IIOFailure) -> DeviceError {
        failure.error(.stream(device: device.unit.deviceID, address: address))
    }

    private func notAnswering(_ device: ActiveDevice) -> DeviceError {
        DeviceError(
            .silent,
            "\(device.unit.deviceID) at \(address) does not answer. If it is on the network, check the connection and whether iiod runs; it is tried again."
        )
    }
}
