// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Dispatch
public import Foundation
import Logging

/// A session with an accessory in one of its protocols.
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
/// Keep a strong reference to the session. Releasing the session closes both streams and frees the port; closing both
/// streams also frees the port. Data that was already written is still sent, for up to 2 s, or for up to 0.1 s if
/// another session opens the port.
///
/// **Stream events** are delivered as on Apple's platforms, on the run loops and in the modes in which the streams are
/// scheduled, before or after opening. `openCompleted` is the first event. `hasBytesAvailable` is repeated only after a
/// read, if bytes remain or new bytes arrive. `hasSpaceAvailable` is repeated only after a write, when space is
/// available. `endEncountered` or `errorOccurred` is the last event. No events follow `close()`.
///
/// **Reading and writing** never block. `read(_:maxLength:)` returns 0 if no bytes are available, and also at the end
/// of the stream; use `hasBytesAvailable` or `streamStatus` to distinguish the two. `write(_:maxLength:)` may accept
/// fewer bytes than given, or none.
///
/// **If the accessory is unplugged**, or closes its side of the connection, the bytes received before can still be
/// read. The input stream then reports `endEncountered`, and its status is `atEnd`. The output stream also reports
/// `endEncountered`, or `errorOccurred` if accepted bytes were lost. Further writes return -1. `streamError` describes
/// the reason; its domain is `NSPOSIXErrorDomain` and its code is `ENODEV` or the system's error number. The end of a
/// stream does not indicate whether the accessory was unplugged or closed the connection. If the accessory was
/// unplugged, its delegate is called and the notification is posted after the streams have ended.
///
/// Streams that are scheduled on the main run loop report their ends before the accessory's delegate and the observers
/// of the notification are called. However, the input stream ends only after all bytes have been read. If more than 64
/// KiB are unread, the disconnection precedes both ends: the app first reads the remaining bytes, then both streams
/// end. Closing the session in the disconnection callback discards unread bytes.
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
    /// Returns nil if the accessory is not connected or does not offer the protocol, if the app has not declared the
    /// protocol, or if the port cannot be opened. The reason is logged in one line; `init(opening:protocol:)` throws it
    /// instead. An existing session of this process with the protocol is closed first.
    ///
    /// Opening may take tens of milliseconds. A previous session of this process with the port, even if it is closed,
    /// has 0.1 s to send its remaining data; unsent data is lost. If another process holds the port, or its permissions
    /// do not allow access yet, opening is retried for 0.1 s. If the accessory hangs and the system does not release
    /// its port, opening fails after 1 s. The first use of the framework enumerates the accessories, which takes a few
    /// milliseconds.
    ///
    /// An app declares protocols with `DEVICE_SERVICES_PROTOCOLS` or `accessories.protocols`. Unlike on Apple's
    /// platforms, an app without either may use all protocols.
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

    /// The accessory; nil if the session was created without an accessory.
    open var accessory: EAAccessory? { core?.accessory }

    /// The name of the protocol.
    open var protocolString: String? { core?.name }

    /// The stream of the data that the accessory sends.
    open var inputStream: InputStream? { streams?.input }

    /// The stream of the data to send to the accessory.
    open var outputStream: OutputStream? { streams?.output }

    static func open(_ accessory: EAAccessory, _ name: String) throws(DeviceError) -> SessionCore {
        guard let client = accessory.client else {
            throw DeviceError(
                .notFound,
                "The accessory \"\(accessory.name)\" is not connected. Use an accessory from connectedAccessories.")
        }
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
    /// Opens a session with an accessory, or throws the reason why it cannot be opened.
    public convenience init(opening accessory: EAAccessory, protocol name: String) throws(DeviceError) {
        self.init(core: try EASession.open(accessory, name))
    }

    /// Delivers the events of both streams on a dispatch queue, which should be serial, instead of run loops. Passing
    /// nil stops delivery on the queue.
    public func setEventQueue(_ queue: DispatchQueue?) { core?.setQueue(queue) }

    /// The data that the accessory sends, as an asynchronous sequence of chunks. Ends when the accessory is
    /// disconnected, and throws a `DeviceError` if reading fails.
    ///
    /// Requires no run loop and opens the stream. Use either this property or the input stream, because each byte is
    /// delivered only once.
    public var bytes: AccessoryBytes { AccessoryBytes(core: core) }

    /// Writes all bytes; suspends while no space is available.
    ///
    /// Requires no run loop and opens the stream. The data of concurrent writes is not interleaved. Throws a
    /// `DeviceError` if the connection has ended and `CancellationError` if the task is cancelled; some bytes may have
    /// been sent in both cases.
    public nonisolated(nonsending) func write(_ data: Data) async throws {
        guard let core else { throw DeviceError(.notFound, "The session has no accessory.") }
        try await core.writeAll(data)
    }

    /// A change in the connection of a session that follows its accessory.
    public enum Connection: Sendable {
        /// The accessory was disconnected; `unsentBytes` written bytes were lost.
        case paused(unsentBytes: Int)
        /// The accessory was reconnected, as the new `EAAccessory`.
        case resumed(EAAccessory)
        /// The accessory was reconnected, but the protocol could not be opened. The session tries again at the next
        /// connection.
        case failed(DeviceError)
    }

    /// Opens a session that survives a disconnection. It resumes when an accessory with the same `identity` that offers
    /// the protocol is connected.
    ///
    /// The streams do not end. While the accessory is disconnected, bytes received before can still be read, no new
    /// bytes arrive and there is no space to write. An app that has to restart its dialogue does so when `changed`
    /// reports the new connection. A session that the app itself opens for the new connection takes precedence.
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
