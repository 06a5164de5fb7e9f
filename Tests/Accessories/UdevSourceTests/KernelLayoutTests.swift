// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import Testing

@testable import ByteChannels
@testable import UdevSource

/// Compares constants and layouts of the kernel that Swift does not import with the kernel headers of the current
/// architecture.
@Suite(.timeLimit(.minutes(5)))
struct KernelLayoutTests {
    /// The values used by this package, keyed by the expressions in layouts.c.
    private static let ours: [String: UInt64] = [
        "sizeof(struct termios2)": UInt64(TTYSpeed.size),
        "offsetof(struct termios2, c_cflag)": UInt64(TTYSpeed.controlOffset),
        "offsetof(struct termios2, c_ispeed)": UInt64(TTYSpeed.inputSpeedOffset),
        "offsetof(struct termios2, c_ospeed)": UInt64(TTYSpeed.inputSpeedOffset + 4),
        "TCGETS2": UInt64(TTYSpeed.getRequest),
        "TCSETS2": UInt64(TTYSpeed.setRequest),
        "CBAUD": UInt64(TTYSpeed.speedMask),
        "BOTHER": UInt64(TTYSpeed.customSpeedFlag),
        "TIOCGEXCL": UInt64(TTYLine.getExclusive),
        "TIOCM_DTR": UInt64(TTYLine.dataTerminalReady),
        "offsetof(struct serial_struct, flags)": UInt64(SerialDriver.flagsOffset),
        "offsetof(struct serial_struct, closing_wait)": UInt64(SerialDriver.closingWaitOffset),
        "ASYNC_LOW_LATENCY": UInt64(SerialDriver.lowLatency),

        "USBDEVFS_SETINTERFACE": UInt64(USBRequest.setInterface),
        "USBDEVFS_GETDRIVER": UInt64(USBRequest.getDriver),
        "USBDEVFS_SUBMITURB": UInt64(USBRequest.submit),
        "USBDEVFS_DISCARDURB": UInt64(USBRequest.discard),
        "USBDEVFS_REAPURBNDELAY": UInt64(USBRequest.reap),
        "USBDEVFS_CLAIMINTERFACE": UInt64(USBRequest.claim),
        "USBDEVFS_RELEASEINTERFACE": UInt64(USBRequest.release),
        "USBDEVFS_URB_TYPE_BULK": UInt64(USBRequestBlock.bulk),
        "USBDEVFS_URB_ZERO_PACKET": UInt64(USBRequestBlock.zeroPacketFlag),
        "sizeof(struct usbdevfs_urb)": UInt64(USBRequestBlock.size),
        "offsetof(struct usbdevfs_urb, endpoint)": UInt64(USBRequestBlock.endpointOffset),
        "offsetof(struct usbdevfs_urb, status)": UInt64(USBRequestBlock.statusOffset),
        "offsetof(struct usbdevfs_urb, flags)": UInt64(USBRequestBlock.flagsOffset),
        "offsetof(struct usbdevfs_urb, buffer)": UInt64(USBRequestBlock.bufferOffset),
        "offsetof(struct usbdevfs_urb, buffer_length)": UInt64(USBRequestBlock.lengthOffset),
        "offsetof(struct usbdevfs_urb, actual_length)": UInt64(USBRequestBlock.transferredOffset),

        "NETLINK_SOCK_DIAG": UInt64(SocketPeers.netlinkSockDiag),
        "SOCK_DIAG_BY_FAMILY": UInt64(SocketPeers.sockDiagByFamily),
        "NLM_F_REQUEST | NLM_F_DUMP": UInt64(SocketPeers.requestDumpFlags),
        "NLMSG_ERROR": UInt64(SocketPeers.error),
        "NLMSG_DONE": UInt64(SocketPeers.done),
        "UDIAG_SHOW_NAME | UDIAG_SHOW_VFS | UDIAG_SHOW_PEER": UInt64(SocketPeers.showsNameFileAndPeer),
        "UNIX_DIAG_NAME": UInt64(SocketPeers.nameAttribute),
        "UNIX_DIAG_VFS": UInt64(SocketPeers.fileAttribute),
        "UNIX_DIAG_PEER": UInt64(SocketPeers.peerAttribute),
        "sizeof(struct nlmsghdr)": UInt64(SocketPeers.headerLength),
        "sizeof(struct unix_diag_msg)": UInt64(SocketPeers.messageLength),
        "sizeof(struct nlmsghdr) + sizeof(struct unix_diag_req)": UInt64(SocketPeers.requestLength),
        // The layout of the request: family, protocol and two bytes of padding, states, inode, show flags, cookie.
        "offsetof(struct unix_diag_req, udiag_states)": 4,
        "offsetof(struct unix_diag_req, udiag_show)": 12,
        "offsetof(struct unix_diag_req, udiag_cookie)": 16,
        // The layout of the attribute: inode, device.
        "offsetof(struct unix_diag_vfs, udiag_vfs_dev)": 4,

        "sizeof(struct inotify_event)": UInt64(FolderWatcher.headerLength),
        "offsetof(struct inotify_event, len)": UInt64(FolderWatcher.lengthOffset),
        "IN_MASK_ADD": UInt64(FolderWatcher.addsToMask),

        "sizeof(struct epoll_event)": UInt64(EpollEvent.size),
        "EPOLLIN": UInt64(EpollEvent.readable),
        "EPOLL_CTL_ADD": UInt64(EpollSet.addOperation),
        "EPOLL_CTL_DEL": UInt64(EpollSet.deleteOperation),
        "EPOLL_CLOEXEC": UInt64(O_CLOEXEC),
        "TFD_CLOEXEC | TFD_NONBLOCK": UInt64(O_CLOEXEC | O_NONBLOCK),
    ]

    @Test("Constants and offsets match the kernel headers", .enabled(if: compiler != nil || received != nil, reason))
    func numbers() throws {
        var theirs: [String: UInt64] = [:]
        for line in try Self.kernelsLines() {
            let split = try #require(line.lastIndex(of: " "))
            let number: UInt64 = try #require(UInt64(line[line.index(after: split)...]))
            theirs[String(line[..<split])] = number
        }
        // The buffer may be larger than the structure.
        let serial = theirs.removeValue(forKey: "sizeof(struct serial_struct)")
        #expect(try #require(serial) <= UInt64(SerialDriver.size))
        #expect(theirs == Self.ours)
    }

    private static let reason: Comment = "needs a C compiler: apt-get install gcc"
    /// The path of a file with the output of layouts.c, for machines without a compiler, for example emulated ones.
    private static let received = ProcessInfo.processInfo.environment["DEVICE_SERVICES_LAYOUTS"]
    private static let compiler: String? = (["/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang"] as [String]).first {
        access($0, X_OK) == 0
    }

    private static func kernelsLines() throws -> [Substring] {
        if let received { return try String(contentsOfFile: received, encoding: .utf8).split(separator: "\n") }
        let folder = FileManager.default.temporaryDirectory.appending(path: "layouts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "layouts.c")
        let program = folder.appending(path: "layouts").path
        _ = try output(of: try #require(compiler), ["-D_GNU_SOURCE", "-o", program, source.path])
        return try output(of: program, []).split(separator: "\n")
    }

    private static func output(of program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: text, as: UTF8.self)
    }
}
