// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A device as the thread of its context keeps it.
final class RunningUnit {
    private(set) var unit: SensorUnit
    /// The context that the unit was found in.
    private(set) var connection: (any IIOConnection)?
    /// What a later context shows of the device; taken when the reader has left.
    var replacement: (unit: SensorUnit, connection: any IIOConnection)?
    var reader: DeviceReader?
    var facts = DeviceReader.Facts()
    var wanted: UnitPlan?
    var watch: StallWatch?
    /// The number of the stage that is watched.
    var watchedStage = 0
    var leavingSince: BootTime?
    var isSecondTry = false
    /// True while the status of its sensors is unavailable.
    var isLost = false
    /// True once the device has been removed.
    var isGone = false
    var backoff: Backoff
    var retryAt = BootTime.zero
    /// The event after which a buffer that has failed is tried again.
    enum BufferRetry {
        /// The device is found in another context.
        case rediscovery
        case time(BootTime)
        /// The user is granted the node of the device, as by udev.
        case access
    }

    /// Why a device that has a buffer is read axis by axis, and until when; nil while the buffer is used.
    private(set) var bufferFailure: (remark: String, retry: BufferRetry)?
    /// False when its buffer was refused, or has given nothing, while it was to gather samples: there may be no room for so
    /// many, and the sensor may be slower than its driver says.
    var gathers = true
    /// True when its buffer has given samples.
    var hasCaptured = false
    private var bufferBackoff: Backoff

    init(_ unit: SensorUnit, connection: any IIOConnection, options: IIOSourceOptions) {
        self.unit = unit
        self.connection = connection
        backoff = Backoff(first: options.firstRetry, limit: options.lastRetry)
        bufferBackoff = Backoff(first: options.lastRetry, limit: options.lastRetry * 32)
    }

    /// When its buffer is tried again; nil if no time decides that.
    var bufferRetryTime: BootTime? {
        if case .time(let time)? = bufferFailure?.retry { time } else { nil }
    }

    /// Lets the reader leave.
    func endReader(now: BootTime) {
        reader?.set(nil, now: now)
        watch = nil
        if reader != nil { leavingSince = leavingSince ?? now }
    }

    /// Takes what a later context shows of the device.
    func takeReplacement() {
        guard let replacement else { return }
        unit = replacement.unit
        connection = replacement.connection
        self.replacement = nil
        // A device that has been away may well capture now.
        bufferFailure = nil
        gathers = true
    }

    /// Reads the device axis by axis from now on.
    ///
    /// - Parameter isForbidden: True if the user lacked the permission to open the node. The buffer is tried again once that
    ///   is granted; otherwise after a while, if it has worked before.
    func fallBack(_ remark: String, isForbidden: Bool, now: BootTime) {
        let isAccessible = connection?.isNodeAccessible(unit.device) == true
        let retry: BufferRetry =
            if isForbidden, !isAccessible {
                .access
            } else if isForbidden || hasCaptured {
                // A node that is accessible now was granted after the failure.
                .time(now.advanced(bySeconds: bufferBackoff.take()))
            } else {
                .rediscovery
            }
        bufferFailure = (remark, retry)
    }

    /// Tries its buffer again when it is time, or when its node was granted.
    func retryBuffer(now: BootTime) {
        switch bufferFailure?.retry {
        case .time(let time) where time <= now:
            // It has worked and may be over: one try will do.
            isSecondTry = hasCaptured
        case .access where connection?.isNodeAccessible(unit.device) == true: break
        default: return
        }
        bufferFailure = nil
    }

    /// Its buffer gives samples.
    func noteFlow() {
        isSecondTry = false
        isLost = false
        hasCaptured = true
        bufferBackoff.reset()
    }

    /// The sensors, with what has been found out since.
    var descriptions: [SensorDescription] {
        unit.members.map { member in
            var description = member.description
            if bufferFailure != nil || facts.isPolled {
                description.mode = .polled
                description.clock = ""
            } else if !facts.clock.isEmpty {
                description.clock = facts.clock
            }
            description.remarks += facts.remarks
            if let bufferFailure { description.remarks.append(bufferFailure.remark) }
            return description
        }
    }
}
