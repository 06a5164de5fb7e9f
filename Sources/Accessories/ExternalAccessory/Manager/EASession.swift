// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Dispatch
public import Foundation
import Logging

/// A session that exchanges data with an accessory through one of the accessory's protocols.
///
/// ```swift
/// let session = EASession(accessory: accessory, forProtocol: "com.example.scale")  // nil: see the log for the reason
/// for stream in [session?.inputStream, session?.outputStream] as [Stream?] {
///     stream?.delegate = scale  // a StreamDelegate
///     stream?.schedule(in: .current, forMode: .default)
///     stream?.open()
/// }
/// ```
///
/// Keep a strong reference to the session. Releasing the session, or closing both streams, frees the port. Data that
/// has already been written is still sent, for up to 2 s, or for up to 0.1 s if another session opens the port.
///
/// **Stream events** are delivered as on Apple's platforms, on the run loops and in the modes for which the streams are
/// scheduled. Streams can be scheduled before or after they are opened. `openCompleted` is the first event.
/// `hasBytesAvailable` is delivered again only after the app has read from the stream, and `hasSpaceAvailable` only
/// after the app has written to the stream. `endEncountered` or `errorOccurred` is the last event. No events follow
/// `close()`.
///
/// **Reading and writing** never block. `read(_:maxLength:)` returns 0 if no bytes are available or the stream has
/// ended. `hasBytesAvailable` and `streamStatus` distinguish the two cases. `write(_:maxLength:)` may accept fewer
/// bytes than given, or none.
///
/// **If the accessory is unplugged** or closes its side of the connection, the app can still read the bytes already
/// received. The input stream then reports `endEncountered`, and its status is `atEnd`. The output stream reports
/// `endEncountered`, or `errorOccurred` if accepted bytes were lost. Further writes return -1. `streamError` describes
/// the reason. Its domain is `NSPOSIXErrorDomain`, and its code is `ENODEV` or the system's error number. The end of a
/// stream does not reveal whether the accessory was unplugged or closed the connection. If it was unplugged, its
/// delegate is called and the notification is posted after the streams have ended.
///
/// Streams scheduled on the main run loop end before the accessory's delegate and the notification's observers are
/// called. However, the input stream ends only after all bytes have been read. If more than 64 KiB are unread, the
/// disconnection is reported first, and both streams end after the app has read the remaining bytes. Closing the
/// session in the disconnection callback discards unread bytes.
///
/// A session cannot be used after its accessory has been unplugged. A new connection requires a new session.
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

    /// Creates a session without an accessory, for tests that override members. Apple's implementation raises an
    /// exception.
    public override init() {
        core = nil
        streams = nil
        super.init()
    }

    /// Opens a session with an accessory.
    ///
    /// Returns `nil` if the accessory is not connected or does not offer the protocol, if the app has not declared the
    /// protocol, or if the port cannot be opened. The reason is logged. To receive the reason as an error, use
    /// `init(opening:protocol:)`. If this process already has a session with the protocol, that session is closed
    /// first.
    ///
    /// Opening may take tens of milliseconds. The first use of the framework takes another few milliseconds. If a
    /// previous session of this process is still sending data to the port, opening waits for up to 0.1 s. Data that has
    /// not been sent by then is lost. If another process is using the port, or the app does not yet have permission,
    /// opening is retried for 0.1 s. If a hanging accessory keeps the system from releasing the port, opening fails
    /// after 1 s.
    ///
    /// An app declares protocols with `DEVICE_SERVICES_PROTOCOLS` or `accessories.protocols`. Unlike on Apple's
    /// platforms, an app with neither setting may use all protocols.
    public init?(accessory: EAAccessory, forProtocol protocolString: String) {
        do throws(DeviceError) {
            let core = try EASession.open(accessory, protocolString)
            self.core = core
            streams = Streams(core)
            super.init()
        } catch {
            AccessoryClient.log.error(
                "The session with \"\(accessory.name)\" for \(protocolString) cannot be opened: \(error)")
            return nil
        }
    }

    init(core: SessionCore) {
        self.core = core
        streams = Streams(core)
        super.init()
    }

    deinit { core?.invalidate() }

    /// The accessory, or `nil` if the session was created without an accessory.
    open var accessory: EAAccessory? { core?.accessory }

    /// The name of the protocol.
    open var protocolString: String? { core?.name }

    /// The stream of data from the accessory.
    open var inputStream: InputStream? { streams?.input }

    /// The stream of data to the accessory.
    open var outputStream: OutputStream? { streams?.output }

    static func open(_ accessory: EAAccessory, _ name: String) throws(DeviceError) -> SessionCore {
        guard let client = accessory.client else { throw notConnected(accessory) }
        return try client.open(accessory, protocol: name)
    }

    static func notConnected(_ accessory: EAAccessory) -> DeviceError {
        DeviceError(
            .notFound,
            "The accessory \"\(accessory.name)\" is not connected. Use an accessory from connectedAccessories.")
    }
}

/// Additions to Apple's API.
extension EASession {
    /// Opens a session with an accessory. If the session cannot be opened, throws an error with the reason.
    public convenience init(opening accessory: EAAccessory, protocol name: String) throws(DeviceError) {
        self.init(core: try EASession.open(accessory, name))
    }

    /// Delivers the events of both streams on a dispatch queue instead of on run loops. The queue should be serial.
    /// Pass `nil` to stop delivery.
    public func setEventQueue(_ queue: DispatchQueue?) { core?.setQueue(queue) }

    /// The data from the accessory, as an asynchronous sequence of chunks. The sequence ends when the accessory is
    /// disconnected, and throws a `DeviceError` if reading fails.
    ///
    /// No run loop is required, and the stream is opened automatically. Each byte is delivered only once, so use either
    /// this property or the input stream.
    public var bytes: AccessoryBytes { AccessoryBytes(core: core) }

    /// Writes all bytes. Suspends when no space is available.
    ///
    /// No run loop is required, and the stream is opened automatically. Data from concurrent writes is not interleaved.
    /// Throws a `DeviceError` if the connection has ended and `CancellationError` if the task is cancelled. In both
    /// cases, some bytes may have been sent.
    public nonisolated(nonsending) func write(_ data: Data) async throws {
        guard let core else { throw DeviceError(.notFound, "The session has no accessory.") }
        try await core.writeAll(data)
    }

    /// A change in the connection of a session created with `init(following:protocol:changed:)`.
    public enum Connection: Sendable {
        /// The accessory was disconnected. `unsentBytes` is the number of written bytes that were lost.
        case paused(unsentBytes: Int)
        /// The accessory was reconnected. A new `EAAccessory` represents the connection.
        case resumed(EAAccessory)
        /// The accessory was reconnected, but the protocol could not be opened. The session tries again the next time
        /// the accessory is connected.
        case failed(DeviceError)
    }

    /// Opens a session that survives disconnections. The session resumes when an accessory with the same `identity` is
    /// connected and offers the protocol.
    ///
    /// The streams do not end. While the accessory is disconnected, the app can still read bytes already received, but
    /// no new bytes arrive and there is no space to write. If the app's protocol requires a handshake, the app must
    /// repeat it when `changed` reports the new connection. If the app itself opens a session for the new connection,
    /// that session takes precedence.
    ///
    /// - Parameters:
    ///   - accessory: A connected accessory.
    ///   - name: The protocol.
    ///   - changed: Called on the main thread.
    public convenience init(
        following accessory: EAAccessory, protocol name: String,
        changed: @escaping @Sendable (Connection) -> Void = { _ in }
    ) throws(DeviceError) {
        guard let client = accessory.client else { throw EASession.notConnected(accessory) }
        self.init(core: try client.follow(accessory, protocol: name, changed: changed))
    }
}
