// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What a source is made of.
struct GPSDSettings: Sendable {
    let address: PositionSourceAddress
    let clock: any DeviceClock
    let repairsWeekRollover: Bool
    let timing: GPSDTiming
}

// What goes wrong with a connection.
extension GPSDSettings {
    func ended(errno number: Int32?) -> DeviceError {
        DeviceError(
            .connectionLost,
            "gpsd at \(address) has closed the connection. It is tried again until it answers; if gpsd was not restarted on purpose, see its log (journalctl -u gpsd).",
            cause: number.map { .system(call: "recv", errno: $0) })
    }

    func silent() -> DeviceError {
        DeviceError(
            .silent,
            "gpsd at \(address) answers, but no receiver has reported for \(timing.silence) s. Check that the receiver is plugged in and that gpsd was told of it (gpsdctl add DEVICE)."
        )
    }

    func unanswered(hasHeardService: Bool) -> DeviceError {
        let message =
            hasHeardService
            ? "gpsd at \(address) has stopped answering. The connection is made anew."
            : "What listens at \(address) does not speak gpsd's protocol. Check the port in DEVICE_SERVICES_GPSD."
        return DeviceError(.silent, message)
    }
}
