// SPDX-License-Identifier: Apache-2.0

import AccessorySimulator
import DeviceCore
import Synchronization
import Testing
import Trace
import UmockdevFormat

@Suite("umockdev scripts")
struct UmockdevScriptTests {
    @Test("A parsed script is written back byte for byte", arguments: ["umockdev-fido2.script", "weigh-scale.script"])
    func roundTrip(name: String) throws {
        let bytes = try Samples.bytes(name)
        let script = try UmockdevScript(bytes: bytes, name: name)
        #expect(script.steps.count > 2)
        let isSame = script.text == bytes
        #expect(isSame)
    }

    @Test("Steps, times and escapes are parsed")
    func steps() throws {
        let text: [UInt8] =
            Array("d 0 /dev/ttyACM0\n# words\n\nw 5 AT^M\nf 20 -\nr 10 hel^`l^^o^J^@ ^b".utf8) + [0xFF]
            + Array("\nQ 0 -\nno line of a script".utf8)
        let script = try UmockdevScript(bytes: text, name: "sample")
        #expect(script.device == "/dev/ttyACM0")
        // The bytes that a program read from umockdev-run 0.17.16 for the same lines.
        #expect(
            script.steps == [
                .write(milliseconds: 5, Array("AT\r".utf8)), .fuzz(percent: 20),
                .read(milliseconds: 10, Array("hel^l\u{1E}o\n\0 \"".utf8) + [0xFF]),
            ])
    }

    @Test("All byte values survive writing and parsing")
    func allBytes() throws {
        let script = UmockdevScript(steps: [.read(milliseconds: 0, (0...255).map { UInt8($0) })])
        #expect(try UmockdevScript(bytes: script.text, name: "sample") == script)
    }

    @Test(
        "A parse error names its line",
        arguments: [
            ("r10 a\n", 1), ("# a\nr 10\n", 2), ("r 1x a\n", 1), ("r -1 a\n", 1), ("r  a\n", 1),
            ("r 9999999999 a\n", 1),
            ("z 1 a\n", 1), ("r 0 a^\n", 1), ("r 0 a^1\n", 1), ("r 0 \n", 1), ("f 101 -\n", 1),
            ("r 0 a\nd 0 /dev/a\n", 2), ("r", 1),
        ])
    func failures(text: String, line: Int) {
        let error = #expect(throws: DeviceError.self) { try UmockdevScript(bytes: Array(text.utf8), name: "sample") }
        #expect(error?.code == .invalidTrace)
        #expect(error?.message.hasPrefix("sample, line \(line): ") == true, "\(error?.message ?? "none")")
    }

    @Test("The number of steps per file is limited")
    func tooMany() throws {
        let maximum = UmockdevScript.maximumSteps
        let text = [[UInt8]](repeating: Array("r 0 a\n".utf8), count: maximum + 1).joined()
        let error = #expect(throws: DeviceError.self) { try UmockdevScript(bytes: Array(text), name: "sample") }
        #expect(error?.message.hasPrefix("sample, line \(maximum + 1): ") == true, "\(error?.message ?? "none")")
    }

    @Test("A peer sends recorded reads and accepts recorded writes, regardless of how they are split")
    func dialogue() {
        let differences = Mutex<[String]>([])
        var peer = UmockdevPeer(
            UmockdevScript(steps: [
                .read(milliseconds: 0, [1]), .write(milliseconds: 9, [2, 3]), .read(milliseconds: 250, [4]),
                .read(milliseconds: 0, [5]),
            ]), differed: { text in differences.withLock { $0.append(text) } })
        #expect(peer.react(to: .opened) == [.send([1])])
        #expect(peer.react(to: .received([2])) == [])
        #expect(peer.react(to: .received([3])) == [.wait(.milliseconds(250)), .send([4]), .send([5])])
        #expect(peer.react(to: .closed) == [])
        #expect(differences.withLock { $0 } == [])
    }

    @Test("Differing writes are reported unless the script allows them")
    func differing() {
        let differences = Mutex<[String]>([])
        var peer = UmockdevPeer(
            UmockdevScript(steps: [
                .write(milliseconds: 0, Array("ABCD".utf8)), .fuzz(percent: 50),
                .write(milliseconds: 0, Array("ABCD".utf8)), .read(milliseconds: 0, [7]),
                .write(milliseconds: 0, Array("Z".utf8)),
            ]), differed: { text in differences.withLock { $0.append(text) } })
        #expect(peer.react(to: .opened) == [])
        #expect(peer.react(to: .received(Array("A\nCDAXYD".utf8))) == [.send([7])])
        #expect(peer.react(to: .closed) == [])
        #expect(
            differences.withLock { $0 } == [
                "Step 1: received \"A\\nCD\" instead of \"ABCD\".",
                "Step 5: the session ended after 0 of 1 bytes: \"\" instead of \"Z\".",
            ])
    }

    @Test("Bytes after the last step are reported")
    func behind() {
        let differences = Mutex<[String]>([])
        var peer = UmockdevPeer(
            UmockdevScript(steps: [.write(milliseconds: 0, [65])]),
            differed: { text in differences.withLock { $0.append(text) } })
        _ = peer.react(to: .opened)
        _ = peer.react(to: .received([65, 66, 0]))
        #expect(differences.withLock { $0 } == ["Received after the last step: \"B\\x00\"."])
    }
}
