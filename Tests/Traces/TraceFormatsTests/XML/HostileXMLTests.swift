// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import IIOFormat
import Testing
import TraceFormats

@Suite("Damaged and hostile XML")
struct HostileXMLTests {
    private func failure(_ text: String) -> DeviceError? {
        do throws(DeviceError) {
            _ = try IIOContext(xml: [UInt8](text.utf8), name: "c.xml")
            return nil
        } catch {
            return error
        }
    }

    @Test("The file of an external entity is not read")
    func externalEntity() {
        let error = failure(
            """
            <!DOCTYPE context [<!ENTITY x SYSTEM "file:///etc/hostname">]>
            <context name="a"><device id="&x;"/></context>
            """)
        #expect(error?.code == .invalidTrace)
        #expect(error?.message.contains("c.xml, line 2") == true)
    }

    @Test("An external document type is neither fetched nor an error")
    func externalDocumentType() throws {
        let text = "<!DOCTYPE context SYSTEM \"http://192.0.2.1/context.dtd\">\n<context name=\"a\"></context>"
        #expect(try IIOContext(xml: [UInt8](text.utf8)).name == "a")
    }

    @Test("Nested entities are not expanded")
    func entityBomb() {
        var text = "<!DOCTYPE context [<!ENTITY a0 \"ha]>'ha\">"
        for level in 1...30 { text += "<!ENTITY a\(level) \"&a\(level - 1);&a\(level - 1);&a\(level - 1);\">" }
        #expect(
            failure(text + "<!-- ' ]> --> <?p ]> ?>]>\n\n<context name=\"&a30;\"/>")?.message.contains("line 3") == true
        )
    }

    @Test("Encodings other than UTF-8 are rejected")
    func encodings() {
        #expect(failure("<?xml version=\"1.0\" encoding=\"UTF-7\"?><context/>")?.message.contains("UTF-7") == true)
        #expect(failure("<?xml version=\"1.0\" encoding='utf-8'?><context/>") == nil)
        #expect(failure("<?xml version=\"1.0\" encoding='ISO-8859-1'?><context/>") != nil)
        // A name that is not UTF-8 would crash FoundationXML.
        #expect(throws: DeviceError.self) {
            try IIOContext(xml: [UInt8]("<context><devi".utf8) + [0xe4] + [UInt8]("/>".utf8))
        }
        #expect(throws: DeviceError.self) { try IIOContext(xml: [0xff, 0xfe, 0x3c, 0x00]) }
        #expect(throws: DeviceError.self) { try IIOContext(xml: [0x3c, 0x00, 0x63, 0x00]) }
    }

    @Test("A truncated context is rejected with a line number")
    func cuts() throws {
        let xml = try Fixtures.goldenXML()
        for length in stride(from: 0, to: xml.count, by: 7) {
            do throws(DeviceError) {
                _ = try IIOContext(xml: [UInt8](xml.prefix(length)))
                Issue.record("a cut at \(length) was taken for a context")
            } catch {
                #expect(error.code == .invalidTrace)
                #expect(error.message.contains("line 1"), "\(error.message)")
            }
        }
    }

    @Test("Random changes never crash the process")
    func changes() throws {
        let xml = try Fixtures.bytes("mpu6050.xml")
        let rounds = Int(ProcessInfo.processInfo.environment["FUZZ_ROUNDS"] ?? "") ?? 500
        var state: UInt64 = 88_172_645_463_325_252
        for round in 0..<rounds {
            var changed = xml
            for _ in 0..<(1 + round % 4) {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                // Mostly characters of XML markup, otherwise any byte.
                let marks = [UInt8]("<>&;\"'/!?[]-=:x \n".utf8)
                let mark = Int(truncatingIfNeeded: (state >> 32) % UInt64(marks.count + 4))
                let offset = Int(truncatingIfNeeded: state % UInt64(xml.count))
                changed[offset] = mark < marks.count ? marks[mark] : UInt8(truncatingIfNeeded: state >> 40)
            }
            _ = try? IIOContext(xml: changed)
            // If all bytes are ASCII, the parser reads more of the text.
            _ = try? IIOContext(xml: changed.map { $0 & 0x7f })
        }
    }

    @Test(
        "Errors name the line",
        arguments: [
            ("<html></html>", "line 1: the text begins with <html>"),
            ("<context>\n<device/></context>", "line 2: <device> lacks the attribute id"),
            (
                "<context>\n<device id=\"d\">\n<channel type=\"input\"/></device></context>",
                "line 3: <channel> lacks the attribute id"
            ),
            (
                "<context><device id=\"d\"><channel id=\"accel_x\">\n<scan-element index=\"-1\" format=\"le:s8/8>>0\"/></channel></device></context>",
                "line 2: the scan index \"-1\" of accel_x"
            ),
            (
                "<context><device id=\"d\"><channel id=\"accel_x\"><scan-element index=\"0\" format=\"le:s99/8\"/></channel></device></context>",
                "the format \"le:s99/8\" of accel_x"
            ),
            ("<context><device id=\"d\">\n</context>", "line 2"),
            ("", "line 1"),
        ])
    func messages(text: String, expected: String) {
        let error = failure(text)
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "no error")")
        #expect(error?.message.hasPrefix("c.xml") == true)
    }

    @Test("Unknown elements are skipped with their contents")
    func unknown() throws {
        let text =
            "<context><x><device id=\"no\"/></x><device id=\"yes\"><y><attribute name=\"no\"/></y></device></context>"
        let context = try IIOContext(xml: [UInt8](text.utf8))
        #expect(context.devices.map(\.id) == ["yes"])
        #expect(context.devices[0].attributes.isEmpty)
    }

    @Test("Too many elements, too many levels and too many bytes are rejected")
    func bounds() {
        #expect(failure("<context>" + String(repeating: "<a/>", count: 200_001) + "</context>") != nil)
        #expect(failure("<context>" + String(repeating: "<a>", count: 100_000)) != nil)
        #expect(throws: DeviceError.self) {
            try IIOContext(xml: [UInt8](repeating: 0x20, count: IIOContext.maximumXMLSize + 1))
        }
    }
}
