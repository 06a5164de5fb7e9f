// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What keeps beacons from being heard, and what to do about it.
enum BlueZProblem {
    static var noAdapter: DeviceError {
        DeviceError(
            .notFound,
            "BlueZ has no Bluetooth adapter, so no beacon can be heard. Plug one in, or switch the board's own on (rfkill list; bluetoothctl list); it is used as soon as it is there."
        )
    }

    static var switchedOff: DeviceError {
        DeviceError(
            .unreachable,
            "The Bluetooth adapter is switched off, so no beacon can be heard. Switch it on (rfkill unblock bluetooth; bluetoothctl power on); it is used as soon as it is."
        )
    }

    /// BlueZ has never answered: it hangs, or the bus cannot start it.
    static var noAnswer: DeviceError {
        DeviceError(
            .silent,
            "BlueZ does not answer, so no beacon can be received. It does not run on a board without a Bluetooth adapter: plug one in. Otherwise restart it (systemctl restart bluetooth)."
        )
    }

    /// BlueZ has answered before.
    static func silence(seconds: Int) -> DeviceError {
        DeviceError(
            .silent,
            "BlueZ has not answered within \(seconds) s. It is asked again; if that goes on, restart it (systemctl restart bluetooth)."
        )
    }

    static var blueZEnded: DeviceError {
        DeviceError(
            .connectionLost,
            "bluetoothd has ended, so no beacon can be heard. If it is not back by itself, start it (systemctl start bluetooth)."
        )
    }

    /// BlueZ was asked what there is, and the answer is an error: of BlueZ, or of the bus, which does not reach it.
    static func noObjects(_ message: DBusMessage, isOfBus: Bool) -> DeviceError {
        if message.error == "org.freedesktop.DBus.Error.AccessDenied" { return notAllowed(message) }
        return isOfBus
            ? DeviceError(
                .unreachable,
                "BlueZ does not run, so no beacon can be heard. Install and start it (apt install bluez; systemctl start bluetooth); it is used as soon as it runs.\(says(message))"
            )
            : DeviceError(
                .inputOutput,
                "BlueZ does not say which adapters there are, so no beacon can be heard. It is asked again; see its log (journalctl -u bluetooth).\(says(message))"
            )
    }

    static func noDiscovery(_ message: DBusMessage) -> DeviceError {
        switch message.error {
        case "org.bluez.Error.NotReady": switchedOff
        case "org.bluez.Error.InProgress":
            DeviceError(
                .inputOutput,
                "BlueZ answers that discovery is in progress, but its adapter does not discover, so no beacon can be received. It is tried again; if that goes on, restart it (systemctl restart bluetooth).\(says(message))"
            )
        case "org.freedesktop.DBus.Error.AccessDenied", "org.bluez.Error.NotAuthorized",
            "org.bluez.Error.NotPermitted":
            notAllowed(message)
        default:
            DeviceError(
                .inputOutput,
                "BlueZ cannot listen for beacons. It is asked again; see its log (journalctl -u bluetooth).\(says(message))"
            )
        }
    }

    static func refusedByBus(_ message: DBusMessage) -> DeviceError {
        DeviceError(.permissionDenied, "The system bus does not let this program listen to BlueZ.\(says(message))")
    }

    private static func notAllowed(_ message: DBusMessage) -> DeviceError {
        DeviceError(
            .permissionDenied,
            "This user may not use BlueZ. Add it to the group bluetooth (usermod -aG bluetooth USER) and log in anew, or run as root.\(says(message))"
        )
    }

    private static func says(_ message: DBusMessage) -> String {
        let text = ShownText.cleaned(message.errorText)
        return text.isEmpty ? " (\(ShownText.cleaned(message.error)))" : " (\(text))"
    }
}
