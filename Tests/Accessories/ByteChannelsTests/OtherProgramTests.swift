// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import Foundation
import SystemCalls
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct OtherProgramTests {
    @Test("A port held by another program is busy, and the error names the program and the process")
    func held() throws {
        let pty = try Pty()
        let helper = try Helper(["hold", pty.path])
        defer { helper.end() }
        #expect(helper.line() == "open")
        let error = #expect(throws: DeviceError.self) {
            try ChannelOpener.open(.tty(path: pty.path, TTYSettings()), clock: LiveClock(), retryDelays: [])
        }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("process \(helper.pid)") == true)
        #expect(error?.message.contains(TestProgram.commands.processName) == true)
    }

    // After the kill, TIOCEXCL remains set on the port, and only root can open the port.
    @Test(
        "A port held by a killed process can be opened again",
        arguments: getuid() == 0 ? ["hold", "exclude"] : ["hold"])
    func killed(_ kind: String) throws {
        let pty = try Pty()
        let helper = try Helper([kind, pty.path])
        #expect(helper.line() == "open")
        helper.kill()
        let watch = Watch(try ChannelOpener.open(.tty(path: pty.path, TTYSettings()), clock: LiveClock()))
        pty.master.send([7])
        #expect(watch.receive(1) == [7])
    }

    /// True if a process that has dropped root privileges can access the temporary directory.
    private static let canOthersSee = {
        var folder = FileManager.default.temporaryDirectory.standardizedFileURL
        while getuid() == 0, folder.path != "/" {
            var status = stat()
            guard stat(folder.path, &status) == 0, status.st_mode & 0o001 != 0 else { return false }
            folder.deleteLastPathComponent()
        }
        return true
    }()

    @Test(
        "The error for a port without permission contains its mode, owner, group and a remedy",
        .enabled(if: canOthersSee, "only root sees the folder for temporary files"))
    func denied() throws {
        let folder = FileManager.default.temporaryDirectory
        let path = folder.appendingPathComponent("channel-\(UUID())").path
        try #require(FileManager.default.createFile(atPath: path, contents: Data()))
        defer { unlink(path) }
        // The name of group 20 depends on the distribution.
        let group = getgrgid(20).map { String(cString: $0.pointee.gr_name) }
        // A helper that runs as root drops its privileges first.
        for (mode, advice) in [(mode_t(0o060), "usermod"), (mode_t(0), "udev rule")] {
            chmod(path, mode)
            if getuid() == 0 { chown(path, 0, mode == 0 ? 0 : 20) }
            let helper = try Helper(["open", path])
            defer { helper.end() }
            let line = try #require(helper.line())
            #expect(line.hasPrefix("permissionDenied"))
            #expect(line.contains(path))
            #expect(line.contains(mode == 0 ? "(mode 0000" : "(mode 0060"))
            if getuid() == 0 {
                #expect(line.contains("owner root"))
                #expect(line.contains("group \(mode == 0 ? "root" : group ?? "20")"))
                #expect(line.contains(advice))
            }
        }
    }

    @Test("Repeated opening, transfers and hang-ups leave no descriptors, threads or memory behind")
    func rounds() throws {
        let rounds = Thoroughness.rounds(1000, quick: 100)
        let helper = try Helper(["rounds", "\(rounds)"])
        defer { helper.end() }
        let words = try #require(helper.line()).split(separator: " ").compactMap { Int($0) }
        try #require(words.count == 4)
        // The helper compares its descriptors by number and target. Descriptors that it opens only once or is just
        // closing do not belong to a round.
        #expect(helper.line() == "none", "descriptors")
        // An idle thread may have ended in the meantime.
        #expect(words[1] <= words[0], "threads")
        // In KiB. A leaked buffer of 64 KiB per round would exceed the limit eightfold.
        #expect(words[3] - words[2] < rounds * 8, "memory")
    }
}
