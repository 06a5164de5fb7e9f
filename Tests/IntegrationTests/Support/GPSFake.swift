// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// gpsfake, which feeds a recorded log to a gpsd of its own, held until the test lets it go.
final class GPSFake: Sendable {
    // gpsfake waits for a key before each packet when it is asked to (-i); that is what holds it. In 3.22 it cannot do so
    // with binary packets, because it asks for the code of what is a number already: ord shall answer with the number.
    // It takes gpsd to be ready when the control socket is there, and passes over a receiver without a word when nobody
    // listens to that yet.
    private static let script = """
        import builtins, runpy, socket, sys, time
        from gps import fake
        code = builtins.ord
        builtins.ord = lambda item: item if isinstance(item, int) else code(item)
        def wait_ready(daemon):
            while daemon.is_alive():
                with socket.socket(socket.AF_UNIX) as control:
                    if control.connect_ex(daemon.control_socket) == 0: return
                time.sleep(0.1)
        fake.DaemonInstance.wait_ready = wait_ready
        sys.argv = sys.argv[1:]
        runpy.run_path(sys.argv[0], run_name="__main__")
        """

    let port: UInt16
    private let process: ChildProcess
    private let folder: URL
    private let key: Int32

    /// Starts it with that log; `ready` waits until gpsd has opened the receiver.
    init(log: URL) throws {
        guard let gpsfake = Tools.gpsfake, let python = Tools.python else {
            throw GPSDaemon.Refusal(description: "gpsfake is not installed")
        }
        port = try FreePort.next()
        // The key that gpsfake derives from its port.
        key = 0x4770_0000 | Int32(port)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("gpsfake-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        process = try ChildProcess(
            python,
            ["-c", GPSFake.script, gpsfake, "-i", "-1", "-n", "-q", "-s", "38400", "-P", "\(port)", log.path],
            environment: ["TMPDIR": folder.path], key: "0x" + String(key, radix: 16))
    }

    deinit {
        process.signal(9)
        GPSDaemon.removeSharedMemory(key)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Waits for its first question, which comes once gpsd has opened the receiver.
    func ready() async throws {
        guard await process.signsOfLife.wait(until: { !$0.isEmpty }) else {
            throw GPSDaemon.Refusal(description: "gpsfake does not come up on port \(port)")
        }
    }

    /// Lets the whole log go.
    func play() {
        process.write(String(repeating: "\n", count: 5000))
    }

    func kill() async {
        await process.kill()
        GPSDaemon.removeSharedMemory(key)
    }
}
