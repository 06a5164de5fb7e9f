// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation

/// A session's input stream.
///
/// Overrides all members of `InputStream`, because Foundation's implementation on Linux never calls a delegate, and
/// terminates the process if `streamError` is read when there is no error.
final class AccessoryInputStream: InputStream, StreamDelegate {
    private let core: SessionCore

    init(core: SessionCore) {
        self.core = core
        super.init(data: Data())
    }

    override func open() { core.open(.input) }

    override func close() { core.close(.input) }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        core.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: max(0, len)))
    }

    /// Returns false, because the received bytes cannot be accessed in place.
    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    override var hasBytesAvailable: Bool { core.hasBytesAvailable }

    /// The delegate. As on Apple's platforms, the default is the stream itself.
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

    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {}
}

/// A session's output stream. Overrides all members of `OutputStream`, for the same reasons as `AccessoryInputStream`.
final class AccessoryOutputStream: OutputStream, StreamDelegate {
    private let core: SessionCore

    init(core: SessionCore) {
        self.core = core
        super.init(toMemory: ())
    }

    /// Creates a closed stream. The superclass requires this initializer, but it is never called.
    required init(toMemory: ()) {
        core = .closed()
        super.init(toMemory: ())
    }

    override func open() { core.open(.output) }

    override func close() { core.close(.output) }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        core.write(UnsafeRawBufferPointer(start: buffer, count: max(0, len)))
    }

    override var hasSpaceAvailable: Bool { core.hasSpaceAvailable }

    /// The delegate. As on Apple's platforms, the default is the stream itself.
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

    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {}
}

extension SessionCore {
    static func closed() -> SessionCore {
        let (channel, other) = MemoryChannel.pair(capacity: 1)
        other.close()
        let device = Device(
            name: "nowhere", clock: LiveClock(), configuration: Configuration(),
            positionSource: PositionHub(demandChanged: {}))
        let core = SessionCore(channel: channel, device: device, accessory: EAAccessory(), name: "")
        core.closeStreams()
        return core
    }
}
