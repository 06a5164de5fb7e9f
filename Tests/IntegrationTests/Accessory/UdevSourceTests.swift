// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension IntegrationTests {
    @Suite(
        "Accessories found through libudev", .enabled(if: Tools.hasLibUdev, Tools.libUdevMissing),
        .enabled(if: Tools.hasMockedUdev, Tools.mockedUdevMissing))
    struct UdevSourceTests {
        @Test("Accessories present at the start are in the snapshot, and later changes are reported")
        func hotPlug() async throws {
            let board = try await AccessoryBoard(["acm-plain"])
            let snapshot = try #require(board.received.first)
            #expect(snapshot.contains(#""identity":"1209:0001:TP00042","name":"Thermo Probe""#))
            #expect(snapshot.contains(#""com.example.thermoprobe":"udevProperty /dev/ttyACM0""#))
            for round in 1...3 {
                await board.plug("acm-interface-string")
                #expect(
                    await board.wait(
                        for: #""event":"attached""#, #""com.example.scale":"interfaceString /dev/ttyACM1""#,
                        #""firmware":"2.10""#, count: round))
                await board.unplug("acm-interface-string")
                #expect(await board.wait(for: #""event":"detached""#, "WS-7731", count: round))
            }
            // Each attachment has a new connection, and the first accessory is reported only once.
            #expect(board.received.filter { $0.contains("TP00042") }.count == 1)
            for id in 2...4 { #expect(board.received.filter { $0.contains("\"id\":\(id),") }.count == 2) }
            await board.end()
        }

        @Test("A composite device is reported once, with the protocols of its endpoints")
        func composite() async throws {
            let board = try await AccessoryBoard()
            await board.plug("composite-2acm-hid")
            #expect(await board.wait(for: #""event":"attached""#, "com.example.lab.data", "com.example.lab.console"))
            await board.plug("ea-native-two-protocols")
            #expect(
                await board.wait(
                    for: #""com.example.bridge.update":"interfaceString /dev/bus/usb/001/007""#))
            #expect(board.received.filter { $0.contains(#""event":"attached""#) }.count == 2)
            await board.say("list")
            #expect(await board.wait(for: #""event":"candidates","nodes":["/dev/hidraw0"]"#))
            await board.end()
        }

        @Test("Bytes are exchanged in both directions, and unplugging during a session ends it")
        func talk() async throws {
            let board = try await AccessoryBoard(["acm-plain"], echoing: ["/dev/ttyACM0"])
            await board.say("open 1209:0001:TP00042 com.example.thermoprobe")
            #expect(await board.wait(for: #""event":"opened""#))
            await board.say("write hello")
            #expect(await board.wait(for: #""event":"read","text":"echo: hello""#))
            // The second session waits until the first is closed and then opens the port.
            await board.say("open 1209:0001:TP00042 com.example.thermoprobe")
            #expect(await board.wait(for: #""event":"opened""#, count: 2))
            await board.say("write again")
            #expect(await board.wait(for: #""event":"read","text":"echo: again""#))
            await board.say("open 1209:0001:TP00042 com.example.other")
            #expect(await board.wait(for: #""event":"refused","code":"notFound""#))
            await board.say("open 1209:0001:TP00042 com.example.thermoprobe")
            #expect(await board.wait(for: #""event":"opened""#, count: 3))
            await board.unplug("acm-plain")
            #expect(await board.wait(for: #""event":"ended""#))
            #expect(await board.wait(for: #""event":"detached""#, "TP00042"))
            await board.end()
        }

        @Test(
            "Bulk endpoints exchange bytes in both directions, and alternate setting 1 is a session",
            .enabled(
                if: MemoryLayout<Int>.size == 8, "the stand-in for usbdevice_fs has the layouts of a 64-bit machine"))
        func bulk() async throws {
            let name = "ea-native-two-protocols"
            let board = try await AccessoryBoard([name], bulk: ["/dev/bus/usb/001/007"])
            await board.say("open 1209:0003:DB0001 com.example.bridge.update")
            #expect(await board.wait(for: #""event":"opened""#))
            // Three packets of at most 512 bytes, the last one short.
            let text = String(repeating: "0123456789", count: 120)
            await board.say("write \(text)")
            #expect(await board.wait(for: #""event":"read","text":"\#(text)""#))
            // The other interface has a separate session, and the first session has ended.
            await board.say("open 1209:0003:DB0001 com.example.bridge.data")
            #expect(await board.wait(for: #""event":"opened""#, count: 2))
            await board.say("write again")
            #expect(await board.wait(for: #""event":"read","text":"again""#))
            #expect(await board.wait(for: "usbfs: interface 1 alternate 0"))
            await board.unplug(name)
            #expect(await board.wait(for: #""event":"ended","reason":"detached""#))
            #expect(await board.wait(for: #""event":"detached""#, "DB0001"))
            #expect(await board.wait(for: "usbfs: release", count: 2))
            func calls(_ interface: Int) -> [String] {
                board.received.filter {
                    $0 == "usbfs: interface \(interface) alternate 1"
                        || $0 == "usbfs: interface \(interface) alternate 0"
                }
            }
            for interface in 0...1 {
                #expect(
                    calls(interface) == [
                        "usbfs: interface \(interface) alternate 1", "usbfs: interface \(interface) alternate 0",
                    ])
            }
            #expect(board.received.filter { $0 == "usbfs: claim" }.count == 2)
            await board.end()
        }

        @Test("Two cables without serial numbers are two candidates, distinguished by their ports")
        func twins() async throws {
            let board = try await AccessoryBoard(["usbserial-noserial-a", "usbserial-noserial-b"])
            await board.say("list")
            #expect(await board.wait(for: #""event":"candidates","nodes":["/dev/ttyUSB0","/dev/ttyUSB1"]"#))
            await board.end()
        }
    }
}
