// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The settings of a source.
struct GPSDSettings: Sendable {
    let address: PositionSourceAddress
    let clock: any DeviceClock
    let repairsWeekRollover: Bool
    let timing: GPSDTiming
}

// The errors of a connection.
extension GPSDSettings {
    func connectionEndedError(errno number: Int32?) -> DeviceError {
        DeviceError(
            .connectionLost,
            "gpsd at \(address) closed the connection. Retrying. If gpsd was not restarted on purpose, check its log (journalctl -u gpsd).",
            cause: number.map { .system(call: "recv", errno: $0) })
    }

    func silenceError() -> DeviceError {
        DeviceError(
            .silent,
            "gpsd at \(address) responds, but no receiver has reported for \(timing.silenceTimeout) s. Check that the receiver is plugged in and known to gpsd (gpsdctl add DEVICE)."
        )
    }

    func noReplyError(hasReceivedValidLine: Bool) -> DeviceError {
        let message =
            hasReceivedValidLine
            ? "gpsd at \(address) stopped responding. Reconnecting."
            : "The server at \(address) does not speak gpsd's protocol. Check the port in DEVICE_SERVICES_GPSD."
        return DeviceError(.silent, message)
    }
}
