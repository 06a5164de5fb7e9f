// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls

/// A failed libiio call or related system call.
struct IIOFailure: Error, Equatable {
    let call: String
    /// The positive error number.
    let number: Int32
    /// The program that holds the device lock, for example "sensorctl (process 1234)".
    let holder: String?

    init(_ call: String, _ number: Int32, holder: String? = nil) {
        (self.call, self.number, self.holder) = (call, number, holder)
    }

    /// Creates a failure from the negative error number that a libiio function returns.
    init(_ call: String, returned code: Int) { self.init(call, Int32(clamping: code.magnitude)) }
}

extension IIOFailure {
    /// The operation that failed: opening a context, setting up a buffer, reading it, or reading individual attributes.
    enum Operation: Equatable {
        case open(MotionSourceAddress)
        /// `triggers` lists the names of triggers that are missing or could not be set.
        case capture(device: String, triggers: [String], address: MotionSourceAddress)
        case stream(device: String, address: MotionSourceAddress)
        case poll(device: String, address: MotionSourceAddress)
    }

    /// Returns the error for the app. Its message suggests a remedy or states what `ContextSupervisor` will do next,
    /// such as retrying. `ReaderFailure` reads the error number from `cause`.
    func error(_ operation: Operation) -> DeviceError {
        let (code, message) =
            switch operation {
            case .open(let address): openMessage(address)
            case .capture(let device, let triggers, let address): captureMessage(device, triggers, address)
            case .stream(let device, let address): streamMessage(device, address)
            case .poll(let device, let address): pollMessage(device, address)
            }
        return DeviceError(code, message, cause: .system(call: call, errno: number))
    }

    var isConnectionLoss: Bool {
        [EPIPE, ECONNRESET, ETIMEDOUT, ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENOTCONN, ECONNABORTED, ENETDOWN]
            .contains(number)
    }

    var isDeviceRemoved: Bool { [ENODEV, ENOENT, ENXIO].contains(number) }
    var isAccessRefused: Bool { [EBUSY, EACCES, EPERM].contains(number) }

    /// Returns the failure for a removed device. Used if the removal was detected before any call failed.
    static func removed(_ device: String) -> IIOFailure { IIOFailure("find \(device)", ENODEV) }

    /// The failure for a buffer that delivers nothing, although no call failed. `ETIMEDOUT` selects the error message.
    static let noSamples = IIOFailure("iio_buffer_refill", ETIMEDOUT)

    /// The failure for an attribute whose value is not a finite number. No system call returned this `EIO`.
    static func invalidNumber(_ name: String) -> IIOFailure { IIOFailure("read \(name)", EIO) }

    private func openMessage(_ address: MotionSourceAddress) -> (DeviceError.Code, String) {
        switch number {
        case ENOSYS, EPROTONOSUPPORT, EINVAL:
            return (
                .notSupported,
                "libiio does not support \(address). Check the address in DEVICE_SERVICES_IIO; serial: and usb: require a libiio that was built with these backends."
            )
        case EACCES, EPERM:
            return (
                .permissionDenied,
                "This user may not open \(address). Give a group of the user access with a udev rule, or run as a user with access."
            )
        case _ where address.backend == .local && (number == ENOENT || number == ENODEV):
            return (.notFound, "This machine has no IIO devices. Check that their kernel drivers are loaded.")
        case ENOENT, ENODEV, ENXIO:
            return (.notFound, "\(address) does not exist. Check the address in DEVICE_SERVICES_IIO.")
        case EBUSY: return (.busy, "\(address) is in use by another program. Retrying.")
        case EFBIG:
            // `DescriptionSizeCheck` throws this error number if the size is excessive.
            return (
                .notSupported,
                "\(address) announces a description of its devices that exceeds the size limit, so the description is not requested. Retrying. Check that the server is iiod."
            )
        default:
            return (
                .unreachable,
                "\(address) does not respond. Retrying until it responds. Check that iiod runs there, that the address and port are correct, and that no firewall blocks the connection."
            )
        }
    }

    private func captureMessage(
        _ device: String, _ triggers: [String], _ address: MotionSourceAddress
    ) -> (DeviceError.Code, String) {
        let node = "/dev/\(device)"
        let isLocal = address.backend == .local
        if let holder {
            return (
                .busy,
                "\(node) is in use by \(holder), and the kernel allows only one program to capture. The capture starts when that program ends. To run both programs, run iiod and set DEVICE_SERVICES_IIO=ip:localhost for both."
            )
        }
        switch number {
        case EBUSY:
            return (
                .busy,
                "\(isLocal ? node : "\(device) at \(address)") is in use by another program, such as iiod or iio-sensor-proxy. Retrying. Stop that program\(isLocal ? " (fuser -v \(node) shows it), or read through iiod with ip:localhost" : "")."
            )
        case EACCES, EPERM:
            return (
                .permissionDenied,
                "Only root may use \(node) and its settings. Install a udev rule for a group of this user, for example SUBSYSTEM==\"iio\", KERNEL==\"iio:device*\", GROUP=\"iio\", MODE=\"0660\", RUN+=\"/bin/sh -c 'chgrp -R iio /sys%p && chmod -R g=u /sys%p'\", add the user to that group, and plug the device in again or run udevadm trigger."
            )
        case EINVAL where !triggers.isEmpty:
            return (
                .notFound,
                "\(device) at \(address) delivers samples only with a trigger, and has none (tried \(triggers.joined(separator: " and "))). Name one in the setting \"trigger\" of this sensor, or load iio-trig-hrtimer and run as root, so that one can be created."
            )
        case EINVAL:
            return (
                .notSupported,
                "The driver of \(device) at \(address) rejects the capture of these channels. Check the kernel's log (dmesg). The setting \"polled\" of this sensor reads it without a buffer."
            )
        case ENOENT, ENODEV, ENXIO:
            return (.notFound, "\(device) at \(address) has been removed, or it cannot capture. Retrying.")
        default: return streamMessage(device, address)
        }
    }

    private func streamMessage(_ device: String, _ address: MotionSourceAddress) -> (DeviceError.Code, String) {
        switch number {
        case ENODEV, ENOENT, ENXIO:
            return (.connectionLost, "\(device) at \(address) has been removed. Its readings resume when it returns.")
        case ETIMEDOUT:
            return (
                .silent,
                "\(device) at \(address) delivers no samples. Restarting it. Check \(address.backend == .network ? "the network and the server, and the device's" : "its") trigger and interrupt line."
            )
        case _ where isConnectionLoss:
            return (
                .connectionLost,
                "The server at \(address) closed the connection or stopped responding. Retrying until it responds."
            )
        case EBUSY: return (.busy, "\(device) at \(address) is in use by another program. Retrying.")
        default:
            return (
                .inputOutput,
                "Reading \(device) at \(address) failed. Retrying. Check the kernel's log (dmesg) there. If the problem persists, unbind and bind its driver, the target of /sys/bus/iio/devices/\(device)/../driver."
            )
        }
    }

    private func pollMessage(_ device: String, _ address: MotionSourceAddress) -> (DeviceError.Code, String) {
        switch number {
        case EACCES, EPERM:
            return (
                .permissionDenied,
                "This user may not read the readings of \(device) in /sys/bus/iio/devices/\(device). Give a group of the user access with a udev rule."
            )
        case EBUSY:
            return (
                .busy,
                "\(device) at \(address) is capturing for another program, such as iiod, and cannot be read in the meantime. Retrying. Stop that program."
            )
        default: return streamMessage(device, address)
        }
    }
}
