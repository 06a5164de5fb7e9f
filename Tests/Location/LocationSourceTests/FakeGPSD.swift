// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import SystemCalls
import TestSupport
import Testing

/// A server on a loopback port that runs a script for each connection on a separate thread.
final class FakeGPSD: Sendable {
    let port: UInt16
    private let listener: Int32
    private let isStopped = Atomic<Bool>(false)
    private let connections = Atomic<Int>(0)
    private let threads = DispatchGroup()

    /// Binds the port and begins to listen. Port 0 selects a free port. A port of an earlier server can be reused.
    init(port: UInt16 = 0, backlog: Int32 = 16, script: @escaping @Sendable (FakePeer) -> Void = { _ in }) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(listener >= 0)
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        self.port = try FakeGPSD.bind(listener, port)
        try #require(listen(listener, backlog) == 0)
        // With a backlog of 0, no connection is accepted.
        guard backlog > 0 else { return }
        start { [self] in acceptAll(script) }
    }

    deinit { close(listener) }

    var connectionCount: Int { connections.load(ordering: .acquiring) }

    /// Ends all scripts and shuts the listening socket down.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        shutdown(listener, Int32(SHUT_RDWR))
        #expect(threads.wait(timeout: .now() + 60) == .success)
    }

    /// Opens a connection that occupies an entry of the backlog. The caller closes it.
    func occupyQueue() -> Int32 {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = LoopbackAddress.of(port: port)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return descriptor
    }

    private func acceptAll(_ script: @escaping @Sendable (FakePeer) -> Void) {
        while !isStopped.load(ordering: .acquiring) {
            var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 20) > 0 else { continue }
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { continue }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let number = connections.add(1, ordering: .acquiringAndReleasing).newValue
            start { [self] in
                let peer = FakePeer(descriptor: descriptor, number: number) {
                    self.isStopped.load(ordering: .acquiring)
                }
                script(peer)
                peer.close()
            }
        }
    }

    private func start(_ work: @escaping @Sendable () -> Void) {
        threads.enter()
        let thread = DispatchQueue(label: "fake gpsd")
        thread.async { [threads] in
            work()
            threads.leave()
        }
    }

    private static func bind(_ descriptor: Int32, _ port: UInt16) throws -> UInt16 {
        var address = LoopbackAddress.of(port: port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Glibc.bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
            }
        }
        try #require(result == 0, "port \(port): error \(errno)")
        return UInt16(bigEndian: address.sin_port)
    }
}
