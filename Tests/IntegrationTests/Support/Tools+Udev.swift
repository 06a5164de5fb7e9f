// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import Testing

extension Tools {
    static let umockdevWrapper = find("umockdev-wrapper")
    static let unshare = find("unshare")

    /// True if the programs under test were built with libudev.
    static let hasLibUdev: Bool = {
        #if LibUdev
        true
        #else
        false
        #endif
    }()

    static let isRoot = geteuid() == 0

    /// True if the process may exceed the system's limit for socket buffers, as root usually may outside containers.
    static let mayExceedBufferLimit: Bool = {
        let descriptor = Sockets.open(AF_UNIX, .datagrams)
        defer { close(descriptor) }
        return Sockets.setOption(descriptor, level: SOL_SOCKET, name: SO_RCVBUFFORCE, value: Int32(1 << 24))
    }()

    /// The options of unshare(1) for network and mount namespaces with root permissions, nil if unavailable.
    static let isolation: [String]? = {
        guard let unshare, python != nil else { return nil }
        let options = isRoot ? ["-n", "-m"] : ["-U", "-r", "-n", "-m"]
        let trial = Process()
        trial.executableURL = URL(fileURLWithPath: unshare)
        trial.arguments = options + ["mount", "-t", "tmpfs", "none", "/run"]
        trial.standardError = FileHandle.nullDevice
        guard (try? trial.run()) != nil else { return nil }
        trial.waitUntilExit()
        return trial.terminationStatus == 0 ? options : nil
    }()

    /// True if Python can control umockdev.
    static let hasMockedUdev: Bool = {
        guard umockdevWrapper != nil, let python else { return false }
        let trial = Process()
        trial.executableURL = URL(fileURLWithPath: python)
        trial.arguments = ["-c", "import gi; gi.require_version('UMockdev', '1.0')"]
        trial.standardError = FileHandle.nullDevice
        guard (try? trial.run()) != nil else { return false }
        trial.waitUntilExit()
        return trial.terminationStatus == 0
    }()

    /// The reasons for skipping tests.
    static let libUdevMissing: Comment = "built without the trait LibUdev"
    static let isolationMissing: Comment =
        "no namespaces for networks and mounts can be made here: run as root, or allow them to users (sysctl kernel.unprivileged_userns_clone=1)"
    static let rootMissing: Comment = "only root can let the kernel send messages about a virtual terminal"
    static let mockedUdevMissing: Comment =
        "umockdev cannot be driven here: apt-get install umockdev gir1.2-umockdev-1.0 python3-gi"

    /// The folder with descriptions of USB devices.
    static let udevTraces = traces.deletingLastPathComponent().appendingPathComponent("udev")
}
