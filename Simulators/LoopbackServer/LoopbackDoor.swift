// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

package import DeviceCore
import SystemCalls

/// Lets clients in at a port, which can be given up for a while. It belongs to the server's thread.
package final class LoopbackDoor {
    /// So many are let in at a time, so that a flood of connections does not stop all else.
    private static let mostAtOnce = 64
    /// Nobody is let in for so long after that has failed, in seconds.
    private static let pause = 0.1

    private let reopen: () throws(DeviceError) -> LoopbackListener
    private var listener: LoopbackListener?
    /// When to let somebody in, or to listen, again after that has failed.
    private var opensAt = BootTime.zero

    /// False while nobody listens on the port.
    package var isOpen = true { didSet { if !isOpen { listener = nil } } }

    /// An open door.
    package init(_ listener: LoopbackListener) {
        self.listener = listener
        reopen = listener.reopening
    }

    /// What to wait for.
    package func interest(now: BootTime) -> pollfd {
        pollfd(fd: opensAt <= now ? listener?.descriptor ?? -1 : -1, events: Int16(POLLIN), revents: 0)
    }

    /// When to look again though nobody has come.
    package func deadline(now: BootTime) -> BootTime { opensAt > now || (isOpen && listener == nil) ? opensAt : .never }

    /// Hands over those who wait, each as a descriptor that belongs to the closure.
    ///
    /// - Parameter revents: what poll(2) told of it.
    package func letIn(revents: Int16, now: BootTime, _ take: (Int32) -> Void) {
        guard isOpen, opensAt <= now, listener == nil || revents != 0 else { return }
        if listener == nil { listener = try? reopen() }
        guard let listener else {
            // Somebody else has the port; it may become free again.
            opensAt = now.advanced(bySeconds: Self.pause)
            return
        }
        for _ in 0..<Self.mostAtOnce {
            switch listener.accept() {
            case .nobody: return
            case .connection(let descriptor): take(descriptor)
            case .refused:
                opensAt = now.advanced(bySeconds: Self.pause)
                return
            }
        }
    }

    /// Makes the close of a connection abrupt: the client sees a reset.
    package static func resetAtClose(_ connection: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}
