// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import Trace

/// The session with a program that has opened a port: the bytes between its descriptor and the peer.
///
/// It belongs to the server's thread. The peer works on the clock's thread, at the other end of a channel in memory, so
/// that a slow one holds nobody else up.
final class Conversation {
    private static let capacity = 65_536

    let near: MemoryChannel
    let session: AccessoryPeerSession
    /// What the peer has sent and the descriptor has not taken yet.
    private var pending = Backlog<UInt8>()
    private(set) var isPeerDone = false
    var isProgramGone = false
    /// True when the program takes nothing more; what it has written may still have to be read.
    var isProgramDeaf = false
    /// Since the start.
    private(set) var bytesSent: Int64 = 0
    private(set) var bytesReceived: Int64 = 0

    /// - Parameters:
    ///   - changed: told on any thread when there may be something to carry.
    ///   - unplug: told when the peer unplugs its accessory.
    init(
        _ endpoint: SimulatedAccessory.Endpoint, clock: any DeviceClock, changed: @escaping @Sendable () -> Void,
        unplug: @escaping @Sendable () -> Void
    ) {
        let (near, far) = MemoryChannel.pair(capacity: Self.capacity)
        self.near = near
        session = AccessoryPeerSession(
            peer: endpoint.peer, channel: far, clock: clock, faults: endpoint.faults, unplug: unplug)
        near.observe { _ in changed() }
        session.begin()
    }

    /// True when more from the program can be taken in.
    var hasSpace: Bool { !isProgramGone && near.spaceAvailable > 0 }

    /// True when bytes wait to be written to the descriptor.
    var hasOutput: Bool { !isProgramDeaf && (pending.count > 0 || near.bytesAvailable > 0) }

    /// True when everything that the peer has sent was written, and no more comes.
    var isFinished: Bool { isPeerDone && pending.count == 0 }

    /// Takes in what the closure reads into the buffer that it is given.
    func take(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0, case .taken(let count) = near.write(bytes) else { return }
        bytesReceived += Int64(count)
    }

    /// Hands what the peer has sent to the closure, which returns how many bytes it wrote or leaves the reason in `errno`;
    /// false when it took none.
    func give(_ write: (UnsafeRawBufferPointer) -> Int) -> Bool {
        if isProgramDeaf { pending.removeAll() }
        if pending.count == 0 {
            var buffer = [UInt8](repeating: 0, count: min(max(near.bytesAvailable, 1), 16_384))
            switch buffer.withUnsafeMutableBytes({ near.read(into: $0) }) {
            case .bytes(let count):
                buffer.removeLast(buffer.count - count)
                pending.append(contentsOf: buffer)
                // Dropped, so that the peer is not held up.
                if isProgramDeaf { return true }
            case .empty: return false
            case .ended:
                isPeerDone = true
                return false
            }
        }
        let (count, failure) = pending.all.withUnsafeBytes { bytes in
            let count = write(bytes)
            return (count, count < 0 ? errno : 0)
        }
        if failure != 0, ![EAGAIN, EWOULDBLOCK, EINTR, ENOBUFS, ENOMEM].contains(failure) { isProgramDeaf = true }
        pending.removeFirst(max(count, 0))
        bytesSent += Int64(max(count, 0))
        return count > 0
    }

    /// The peer is to send no more; what it has sent is still written.
    func stopPeer() { session.end() }

    /// The program is gone: the peer still hears what it had written.
    func endProgram() {
        isProgramGone = true
        near.close()
    }
}
