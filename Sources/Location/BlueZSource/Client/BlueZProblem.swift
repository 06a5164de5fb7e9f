// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The problems that prevent beacon reception, as errors whose messages describe the remedies.
enum BlueZProblem {
    static let noAdapter = DeviceError(
        .notFound,
        "BlueZ has no Bluetooth adapter, so no beacons can be received. Plug one in, or switch on the board's own (rfkill list; bluetoothctl list). Reception then starts automatically."
    )

    static let switchedOff = DeviceError(
        .unreachable,
        "The Bluetooth adapter is switched off, so no beacons can be received. Switch it on (rfkill unblock bluetooth; bluetoothctl power on). Reception then starts automatically."
    )

    /// BlueZ has not replied at all on this connection. Either BlueZ has hung, or the bus cannot start it.
    static let noReply = DeviceError(
        .silent,
        "BlueZ does not respond, so no beacons can be received. It does not run on a board without a Bluetooth adapter: plug one in. Otherwise restart it (systemctl restart bluetooth)."
    )

    /// BlueZ has stopped replying.
    static func timedOut(seconds: Int) -> DeviceError {
        DeviceError(
            .silent,
            "BlueZ has not responded within \(seconds) s. Retrying. If the problem persists, restart BlueZ (systemctl restart bluetooth)."
        )
    }

    static let blueZEnded = DeviceError(
        .connectionLost,
        "bluetoothd has exited, so no beacons can be received. If it does not restart automatically, start it (systemctl start bluetooth)."
    )

    /// The request for BlueZ's objects failed. The error comes from BlueZ, or from the bus if it cannot reach BlueZ.
    static func objectsUnavailable(_ message: DBusMessage, isFromBus: Bool) -> DeviceError {
        if message.error == "org.freedesktop.DBus.Error.AccessDenied" { return accessDenied(message) }
        guard isFromBus else {
            return DeviceError(
                .inputOutput,
                "BlueZ does not list its adapters, so no beacons can be received. Retrying. Check its log (journalctl -u bluetooth).\(detail(of: message))"
            )
        }
        return DeviceError(
            .unreachable,
            "BlueZ is not running, so no beacons can be received. Install and start it (apt install bluez; systemctl start bluetooth). Reception then starts automatically.\(detail(of: message))"
        )
    }

    static func discoveryFailed(_ message: DBusMessage) -> DeviceError {
        switch message.error {
        case "org.bluez.Error.NotReady": switchedOff
        case "org.bluez.Error.InProgress":
            DeviceError(
                .inputOutput,
                "BlueZ reports that discovery is in progress, but its adapter is not discovering, so no beacons can be received. Retrying. If the problem persists, restart BlueZ (systemctl restart bluetooth).\(detail(of: message))"
            )
        case "org.freedesktop.DBus.Error.AccessDenied", "org.bluez.Error.NotAuthorized",
            "org.bluez.Error.NotPermitted":
            accessDenied(message)
        default:
            DeviceError(
                .inputOutput,
                "BlueZ cannot scan for beacons. Retrying. Check its log (journalctl -u bluetooth).\(detail(of: message))"
            )
        }
    }

    static func rejectedByBus(_ message: DBusMessage) -> DeviceError {
        DeviceError(
            .permissionDenied,
            "The system bus does not allow this program to receive messages from BlueZ.\(detail(of: message))")
    }

    private static func accessDenied(_ message: DBusMessage) -> DeviceError {
        DeviceError(
            .permissionDenied,
            "This user may not use BlueZ. Add the user to the group bluetooth (usermod -aG bluetooth USER) and log in again, or run as root.\(detail(of: message))"
        )
    }

    private static func detail(of message: DBusMessage) -> String {
        let text = TerminalSanitizer.sanitized(message.errorText)
        return text.isEmpty ? " (\(TerminalSanitizer.sanitized(message.error)))" : " (\(text))"
    }
}
