// SPDX-License-Identifier: Apache-2.0

import DeviceCore
public import Foundation
import Logging

/// A conversation with an accessory in one of its protocols.
///
/// ```swift
/// let session = EASession(accessory: accessory, forProtocol: "com.example.scale")  // nil: the log says why
/// for stream in [session?.inputStream, session?.outputStream] as [Stream?] {
///     stream?.delegate = scale  // a StreamDelegate
///     stream?.schedule(in: .current, forMode: .default)
///     stream?.open()
/// }
/// ```
///
/// Keep the session: its streams are closed when it is released, and the port is free then. It is also free once both
/// streams have been closed. What was written before is still sent, for two seconds at most, or a tenth of a second once
/// another session wants the port.
///
/// **Events** of the streams come as on Apple's platforms, on the run loops and in the modes in which they are
/// scheduled, before or after they are opened. First `openCompleted`; then `hasBytesAvailable`, again only after a
/// read, when bytes are left or new ones come; `hasSpaceAvailable`, again only after something was written, once there
/// is space; last `endEncountered` or `errorOccurred`. Nothing comes after `close()`.
///
/// **Reading and writing** never wait. A read gives 0 when nothing is there, as it does at the end; ask
/// `hasBytesAvailable`, or `streamStatus`. A write may take less than it was given, or nothing.
///
/// **When the accessory is unplugged**, or its side of the connection closed, all that had come in can still be read;
/// then the input stream tells `endEncountered` and its status is `atEnd`. The output stream tells `endEncountered` too, but
/// `errorOccurred` when bytes that it had taken were lost. Writing then gives -1, and `streamError` says why in words, in
/// `NSPOSIXErrorDomain` with `ENODEV` or what the system said. Which of the two it was an end does not say: an unplugged
/// accessory is told of by its delegate and the notification, which come after the ends.
///
/// Streams on the main run loop tell their ends first; then the accessory's delegate and observers of the notification
/// hear of the disconnection. But the end of the input comes only when all has been read. With more than 64 KiB unread
/// the disconnection comes before both ends: the program first reads what the system still held, then both ends come.
/// Closing the session in the callback of the disconnection discards what has not been read.
///
/// The session of an accessory that was unplugged stays dead; another connection takes another session.
open class EASession: NSObject {
    let core: SessionCore?
    private let streams: Streams?

    private struct Streams {
        let input: AccessoryInputStream
        let output: AccessoryOutputStream

        init(_ core: SessionCore) {
            input = AccessoryInputStream(core: core)
            output = AccessoryOutputStream(core: core)
            core.adopt(input: input, output: output)
        }
    }

    /// A session with nobody, for tests that override members. Apple's raises.
    public override init() {
        core = nil
        streams = nil
        super.init()
    }

    /// Opens a session with an accessory.
    ///
    /// Nil when the accessory is gone or does not offer the protocol, when the program does not declare the protocol,
    /// or when the port cannot be opened. One line in the log says why; `init(opening:protocol:)` throws the reason
    /// instead. A session of this process that has the protocol is closed first.
    ///
    /// It may take some hundredths of a second. Waiting for others is limited. A former session of this program on the
    /// port, even a closed one, has a tenth of a second to send what was written to it; the rest is lost. A port that
    /// another program holds, or that may not be opened yet, is tried for a tenth of a second. If the system does not
    /// give back the port of an accessory that hangs, opening takes a second and fails. The first use of the framework
    /// takes some milliseconds to look for accessories.
    ///
    /// A program declares protocols with `DEVICE_SERVICES_PROTOCOLS` or `accessories.protocols`; where neither is
    /// set it may use all, unlike on Apple's platforms.
    public init?(accessory: EAAccessory, forProtocol protocolString: String) {
        do throws(DeviceError) {
            let core = try EASession.open(accessory, protocolString)
            self.core = core
            streams = Streams(core)
            super.init()
        } catch {
            AccessoryClient.log.error("No session with \"\(accessory.name)\" for \(protocolString): \(error)")
            return nil
        }
    }

    init(core: SessionCore) {
        self.core = core
        streams = Streams(core)
        super.init()
    }

    deinit {
        core?.leave()
    }

    /// The accessory.
    open var accessory: EAAccessory? { core?.accessory }

    /// The protocol.
    open var protocolString: String? { core?.name }

    /// What the accessory sends.
    open var inputStream: InputStream? { streams?.input }

    /// What is sent to the accessory.
    open var outputStream: OutputStream? { streams?.output }

    static func open(_ accessory: EAAccessory, _ name: String) throws(DeviceError) -> SessionCore {
        guard let client = accessory.client else {
            throw DeviceError(
                .notFound,
                "The accessory \"\(accessory.name)\" is not connected: open sessions with connectedAccessories.")
        }
        return try client.open(accessory, protocol: name)
    }

    static func notConnected(_ accessory: EAAccessory) -> DeviceError {
        DeviceError(
            .notFound, "The accessory \"\(accessory.name)\" is not connected: use one of connectedAccessories.")
    }
}
