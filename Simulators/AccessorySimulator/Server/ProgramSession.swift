// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import Trace

/// A session with a program that has opened a port. It transfers bytes between the port's descriptor and the peer. The
/// session is confined to the server's thread. The peer runs on the clock's thread, at the other end of an in-memory
/// channel, so a slow peer does not block the server.
final class ProgramSession {
    private static let capacity = 65_536
    let localChannel: MemoryChannel
    let session: AccessoryPeerSession
    /// Bytes from the peer that have not yet been written to the descriptor.
    private var pending = FIFOQueue<UInt8>()
    private var isPeerFinished = false
    /// True if no more bytes will arrive from the program.
    var hasProgramClosed = false
    /// True if the program no longer reads. The port may still have to read bytes that the program wrote earlier.
    var hasProgramStoppedReading = false
    private(set) var bytesSent: Int64 = 0
    private(set) var bytesReceived: Int64 = 0

    /// Creates a session and opens its peer. `changed` can be called on any thread, when there may be bytes to
    /// transfer. `unplug` is called when the peer detaches its accessory.
    init(
        _ endpoint: SimulatedAccessory.Endpoint, clock: any DeviceClock, changed: @escaping @Sendable () -> Void,
        unplug: @escaping @Sendable () -> Void
    ) {
        let (localChannel, peerChannel) = MemoryChannel.pair(capacity: Self.capacity)
        self.localChannel = localChannel
        session = AccessoryPeerSession(
            peer: endpoint.peer, channel: peerChannel, clock: clock, faults: endpoint.faults, unplug: unplug)
        localChannel.observe { _ in changed() }
        session.start()
    }

    var hasSpace: Bool { !hasProgramClosed && localChannel.spaceAvailable > 0 }
    var hasOutput: Bool { !hasProgramStoppedReading && (pending.count > 0 || localChannel.bytesAvailable > 0) }
    var isFinished: Bool { isPeerFinished && pending.count == 0 }

    func forward(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0, case .accepted(let count) = localChannel.write(bytes) else { return }
        bytesReceived += Int64(count)
    }

    /// Writes bytes from the peer to the program. `write` returns the number of bytes written, or a negative number
    /// with the error in `errno`. Returns true if bytes were written or discarded, otherwise false.
    func writePending(_ write: (UnsafeRawBufferPointer) -> Int) -> Bool {
        if hasProgramStoppedReading { pending.removeAll() }
        if pending.count == 0 {
            var buffer = [UInt8](repeating: 0, count: min(max(localChannel.bytesAvailable, 1), 16_384))
            switch buffer.withUnsafeMutableBytes({ localChannel.read(into: $0) }) {
            case .bytes(let count):
                buffer.removeLast(buffer.count - count)
                pending.append(contentsOf: buffer)
                // The program no longer reads, so the next call discards these bytes. If they were kept, the peer would
                // block.
                if hasProgramStoppedReading { return true }
            case .empty: return false
            case .ended:
                isPeerFinished = true
                return false
            }
        }
        let (count, failure) = pending.elements.withUnsafeBytes { bytes in
            let count = write(bytes)
            return (count, count < 0 ? errno : 0)
        }
        if failure != 0, ![EAGAIN, EWOULDBLOCK, EINTR, ENOBUFS, ENOMEM].contains(failure) {
            hasProgramStoppedReading = true
        }
        pending.removeFirst(max(count, 0))
        bytesSent += Int64(max(count, 0))
        return count > 0
    }

    /// Prevents the peer from sending more bytes. Bytes that the peer has already sent are still written.
    func stopPeer() { session.end() }

    /// Ends the program's side of the session. The peer still receives all bytes that the program has written.
    func endProgram() {
        hasProgramClosed = true
        localChannel.close()
    }
}
