// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// The input stream of a session.
///
/// It overrides every member: Foundation's own never call a delegate on Linux, and end the process when a healthy stream is
/// asked for its error.
final class AccessoryInputStream: InputStream, StreamDelegate {
    private let core: SessionCore

    init(core: SessionCore) {
        self.core = core
        super.init(data: Data())
    }

    override func open() { core.open(.input) }

    override func close() { core.close(.input) }

    /// Takes what has come in, without waiting: 0 when nothing has, as at the end; `streamStatus` tells which.
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        core.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: max(0, len)))
    }

    /// False: what has come in does not lie in memory that could be lent.
    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    override var hasBytesAvailable: Bool { core.hasBytesAvailable }

    /// The stream itself when nothing was set, as on Apple's platforms.
    override var delegate: (any StreamDelegate)? {
        get { core.delegate(.input) ?? self }
        set { core.setDelegate(newValue === self ? nil : newValue, .input) }
    }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        core.schedule(.input, in: aRunLoop, mode)
    }

    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        core.remove(.input, from: aRunLoop, mode)
    }

    override var streamStatus: Stream.Status { core.status(.input) }

    override var streamError: (any Error)? { core.error(.input)?.streamError }

    /// Nil: a session has no offset, and no security of its own.
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

    /// False: there is nothing to be set.
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    /// What a stream does that is its own delegate.
    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {}
}

/// The output stream of a session, which overrides every member for the same reason.
final class AccessoryOutputStream: OutputStream, StreamDelegate {
    private let core: SessionCore

    init(core: SessionCore) {
        self.core = core
        super.init(toMemory: ())
    }

    /// A stream to nowhere, which takes nothing: this class has to have it and nobody calls it.
    required init(toMemory: ()) {
        core = .nowhere()
        super.init(toMemory: ())
    }

    override func open() { core.open(.output) }

    override func close() { core.close(.output) }

    /// Hands over bytes, without waiting: as many as there is space for, which may be none.
    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        core.write(UnsafeRawBufferPointer(start: buffer, count: max(0, len)))
    }

    override var hasSpaceAvailable: Bool { core.hasSpaceAvailable }

    /// The stream itself when nothing was set, as on Apple's platforms.
    override var delegate: (any StreamDelegate)? {
        get { core.delegate(.output) ?? self }
        set { core.setDelegate(newValue === self ? nil : newValue, .output) }
    }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        core.schedule(.output, in: aRunLoop, mode)
    }

    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        core.remove(.output, from: aRunLoop, mode)
    }

    override var streamStatus: Stream.Status { core.status(.output) }

    override var streamError: (any Error)? { core.error(.output)?.streamError }

    /// Nil: a session has no offset, and no security of its own.
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

    /// False: there is nothing to be set.
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    /// What a stream does that is its own delegate.
    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {}
}

extension SessionCore {
    /// A session with nobody, over already.
    static func nowhere() -> SessionCore {
        let (channel, other) = MemoryChannel.pair(capacity: 1)
        other.close()
        let device = Device(
            name: "nowhere", clock: LiveClock(), configuration: Configuration(),
            positionSource: PositionHub(demandChanged: {}))
        let core = SessionCore(channel: channel, device: device, accessory: EAAccessory(), name: "")
        core.shut()
        return core
    }
}
