// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ByteChannels
import DeviceCore
import Foundation
import SystemCalls
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
        // The kernel keeps 15 bytes of a name.
        #expect(error?.message.contains("TestProgramByte") == true)
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

    @Test("A port that the user may not open is told with its mode, owner and group, and what to do")
    func denied() throws {
        var template = Array("/tmp/channel-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(path) }
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
                #expect(line.contains(mode == 0 ? "group root" : "group dialout"))
                #expect(line.contains(advice))
            }
        }
    }

    @Test("Thousands of rounds of open, talk and hang up leave no descriptor and no thread behind, and no memory")
    func rounds() throws {
        let helper = try Helper(["rounds", "1000"])
        defer { helper.end() }
        let words = try #require(helper.line()).split(separator: " ").compactMap { Int($0) }
        try #require(words.count == 6)
        #expect(words[0] == words[1], "descriptors")
        // One that waited for work may have ended meanwhile.
        #expect(words[3] <= words[2], "threads")
        // In KiB. A buffer of 64 KiB in each round would be 64,000.
        #expect(words[5] - words[4] < 8_000, "memory")
    }
}
