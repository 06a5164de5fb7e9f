// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// gpsfake, which feeds a recorded log to its own gpsd when the test calls `play()`.
final class GPSFake: Sendable {
    // With -i gpsfake waits for a key before each packet, which holds the log back. In 3.22 this fails with binary
    // packets, because gpsfake calls ord() with numbers, so the script replaces ord. gpsfake also assumes that gpsd is
    // ready once the control socket exists, and skips a receiver silently if gpsd does not listen yet, so the script
    // connects first.
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

    /// Starts gpsfake with the log. `ready()` waits until gpsd has opened the receiver.
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

    /// Waits for gpsfake's first prompt, which appears once gpsd has opened the receiver.
    func ready() async throws {
        guard await process.signsOfLife.wait(until: { !$0.isEmpty }) else {
            throw GPSDaemon.Refusal(description: "gpsfake does not come up on port \(port)")
        }
    }

    /// Plays the whole log.
    func play() {
        process.write(String(repeating: "\n", count: 5000))
    }

    func kill() async {
        await process.kill()
        GPSDaemon.removeSharedMemory(key)
    }
}
