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
    /// True when its subscribers have been told that it gives nothing.
    var isLost = false
    /// Why nothing comes any more, once the device is not there.
    var end: DeviceError?
    var isGone: Bool { end != nil }
    var backoff: Backoff
    var retryAt = BootTime.zero
    /// Why it is read axis by axis though it has a buffer; nil when it is not.
    private(set) var fallBackRemark: String?
    /// False when its buffer was refused, or has given nothing, while it was to gather samples: there may be no room for so
    /// many, and the sensor may be slower than its driver says.
    var gathers = true
    /// True when its buffer has given samples.
    var hasCaptured = false
    /// When its buffer is tried again; nil for not before the devices are looked at anew.
    private(set) var bufferRetryAt: BootTime?
    private var bufferBackoff: Backoff
    /// True if it is read axis by axis because the user has no permission to open its node.
    private(set) var isNodeRefused = false

    init(_ unit: SensorUnit, connection: any IIOConnection, options: IIOSourceOptions) {
        self.unit = unit
        self.connection = connection
        backoff = Backoff(first: options.firstRetry, limit: options.lastRetry)
        bufferBackoff = Backoff(first: options.lastRetry, limit: options.lastRetry * 32)
    }

    var isFallenBack: Bool { fallBackRemark != nil }

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
        fallBackRemark = nil
        bufferRetryAt = nil
        isNodeRefused = false
        gathers = true
    }

    /// Reads axis by axis from now on; for a while only when its buffer has worked before.
    func fallBack(_ remark: String, now: BootTime) {
        fallBackRemark = remark
        bufferRetryAt = hasCaptured ? now.advanced(bySeconds: bufferBackoff.take()) : nil
    }

    /// Reads axis by axis until the user may open the node of the device, as after udev has granted it.
    ///
    /// - Parameter isAccessible: True if the node was granted since the buffer failed; the buffer is then tried again.
    func fallBackForNode(_ remark: String, isAccessible: Bool, now: BootTime) {
        fallBackRemark = remark
        isNodeRefused = !isAccessible
        bufferRetryAt = isAccessible ? now.advanced(bySeconds: bufferBackoff.take()) : nil
    }

    /// Tries the buffer again, as the user may open the node now.
    func noteNodeAccess(now: BootTime) {
        isNodeRefused = false
        bufferRetryAt = now
    }

    /// Tries its buffer again when it is time.
    func retryBuffer(now: BootTime) {
        guard let bufferRetryAt, now >= bufferRetryAt else { return }
        fallBackRemark = nil
        self.bufferRetryAt = nil
        // It has worked and may be over: one try will do.
        isSecondTry = true
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
            if isFallenBack || facts.isPolled {
                description.mode = .polled
                description.clock = ""
            } else if !facts.clock.isEmpty {
                description.clock = facts.clock
            }
            description.remarks += facts.remarks
            if let fallBackRemark { description.remarks.append(fallBackRemark) }
            return description
        }
    }
}
