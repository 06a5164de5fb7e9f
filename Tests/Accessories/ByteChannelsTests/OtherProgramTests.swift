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
    @Test("A port that another program has is busy, and the error names that program and its process")
    func held() throws {
        let pty = try Pty()
        let helper = try Helper(["hold", pty.path])
        defer { helper.end() }
        #expect(helper.line() == "open")
        let error = #expect(throws: DeviceError.self) {
            try ChannelOpener.open(.tty(path: pty.path, TTYSettings()), clock: LiveClock(), pauses: [])
        }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("process \(helper.pid)") == true)
        #expect(error?.message.contains(TestProgram.commands.processName) == true)
    }

    // The kernel keeps all but the superuser from a port that still has the mark.
    @Test(
        "A port whose program was killed can be opened again",
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

    /// True when a program that has given up the rights of the superuser sees what is in the folder for temporary files.
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
        "A port that the user may not open is told with its mode, owner and group, and what to do",
        .enabled(if: canOthersSee, "only root sees the folder for temporary files"))
    func denied() throws {
        let folder = FileManager.default.temporaryDirectory
        let path = folder.appendingPathComponent("channel-\(UUID())").path
        try #require(FileManager.default.createFile(atPath: path, contents: Data()))
        defer { unlink(path) }
        // Systems number their groups as they like.
        let group = getgrgid(20).map { String(cString: $0.pointee.gr_name) }
        // The helper gives up the rights of the superuser first, where it has them.
        for (mode, advice) in [(mode_t(0o060), "usermod"), (mode_t(0), "udev rule")] {
            chmod(path, mode)
            if getuid() == 0 { chown(path, 0, mode == 0 ? 0 : 20) }
            let helper = try Helper(["open", path])
            defer { helper.end() }
            let line = try #require(helper.line())
            #expect(line.hasPrefix("permissionDenied"))
            #expect(line.contains(path))
            #expect(line.contains(mode == 0 ? "mode is 0000" : "mode is 0060"))
            if getuid() == 0 {
                #expect(line.contains("owner root"))
                #expect(line.contains("group \(mode == 0 ? "root" : group ?? "20")"))
                #expect(line.contains(advice))
            }
        }
    }

    @Test("Thousands of rounds of open, talk and hang up leave no descriptor and no thread behind, and no memory")
    func rounds() throws {
        let rounds = Thoroughness.rounds(1000, quick: 100)
        let helper = try Helper(["rounds", "\(rounds)"])
        defer { helper.end() }
        let words = try #require(helper.line()).split(separator: " ").compactMap { Int($0) }
        try #require(words.count == 4)
        // By what they are: what the process opens once, whenever that is, and what it is just closing is none of a round's.
        #expect(helper.line() == "none", "descriptors")
        // One that waited for work may have ended meanwhile.
        #expect(words[1] <= words[0], "threads")
        // In KiB. A buffer of 64 KiB in each round would be eight times as much.
        #expect(words[3] - words[2] < rounds * 8, "memory")
    }
}
