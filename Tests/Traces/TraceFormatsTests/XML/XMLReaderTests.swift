// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import TraceFormats

@Suite("XML reader")
struct XMLReaderTests {
    /// A source that delivers a limited number of bytes at a time.
    private final class Drops: ByteSource {
        private var rest: ArraySlice<UInt8>
        private let size: Int

        init(_ bytes: [UInt8], size: Int) {
            rest = bytes[...]
            self.size = size
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let part = rest.prefix(min(size, buffer.count))
            buffer.copyBytes(from: part)
            rest = rest.dropFirst(part.count)
            return part.count
        }
    }

    /// Returns each tag with its attributes and depth, each text, and finally the error or "end".
    private func tokens(_ bytes: [UInt8], size: Int = .max, keys: [StaticString] = ["a", "b"]) -> [String] {
        var reader = XMLReader(size == .max ? MemorySource(bytes) : Drops(bytes, size: size), name: "t.xml")
        var tokens: [String] = []
        do throws(DeviceError) {
            while let token = try reader.next() {
                let text = String(decoding: reader.trimmedText, as: UTF8.self)
                if !text.isEmpty { tokens.append("'\(text)'") }
                switch token {
                case .start:
                    var tag = "<\(reader.elementName)"
                    for key in keys {
                        if let value = reader.text(of: key) { tag += " \(key)=\(value)" }
                    }
                    tokens.append("\(tag)@\(reader.depth)")
                case .end: tokens.append("\(reader.elementName)>@\(reader.depth)")
                }
            }
            tokens.append("end")
        } catch {
            tokens.append(error.message)
        }
        return tokens
    }

    private func tokens(_ text: String, size: Int = .max) -> [String] { tokens([UInt8](text.utf8), size: size) }

    @Test("Elements, attributes and texts are read in order")
    func order() {
        #expect(
            tokens("<?xml version='1.0'?>\n<r a=\"1\" b = '2'><x:e/>one<f>two</f >\n</r>\n") == [
                "<r a=1 b=2@1", "<e@2", "e>@2", "'one'", "<f@2", "'two'", "f>@2", "r>@1", "end",
            ])
    }

    @Test("References, CDATA and comments are converted to plain text")
    func text() {
        #expect(
            tokens(
                "<r a='&lt;&#x41;&#66;&amp;&quot;&apos;&gt;'>a&amp;b<!-- <no/> -->c<![CDATA[<&amp;>]]]]>&#x20AC;<?p?>d</r>"
            )
                == ["<r a=<AB&\"'>@1", "'a&bc<&amp;>]]€d'", "r>@1", "end"])
        // A single & and an HTML entity in a text are kept.
        #expect(tokens("<r>Bed & Breakfast&nbsp;</r>") == ["<r@1", "'Bed & Breakfast&nbsp;'", "r>@1", "end"])
        #expect(tokens("<r a='x\n\ty'>\r\nz\r\n</r>") == ["<r a=x  y@1", "'z'", "r>@1", "end"])
    }

    @Test("Namespace prefixes of elements are removed, and prefixed attributes are ignored")
    func namespaces() {
        #expect(
            tokens("<n:r xmlns:n='urn:x' n:a='1' a='2'><m:b:c></m:b:c></n:r>") == [
                "<r a=2@1", "<c@2", "c>@2", "r>@1", "end",
            ])
    }

    @Test("Document types are skipped with their contents")
    func documentType() {
        #expect(
            tokens(
                "<!DOCTYPE r [<!ENTITY e \"]>\"> <!-- ]> --> <?x ]> ?> <!ATTLIST r a CDATA 'd'>]><r>&e;</r>")
                == ["<r@1", "'&e;'", "r>@1", "end"])
        #expect(tokens("<!DOCTYPE r SYSTEM 'http://192.0.2.1/x'><r/>") == ["<r@1", "r>@1", "end"])
    }

    @Test("The size of reads does not change the result")
    func pieces() {
        let text = """
            \u{feff}<?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE r [<!ENTITY e "x">]><!-- c -->
            <r a="&#8364;ü" b='2'><![CDATA[ü]]]]>&amp;<e a='\u{1F6F0}'/>&lt;&bad;ü</r> <?p ?>
            """
        let whole = tokens(text)
        #expect(whole.last == "end")
        for size in [1, 2, 3, 5, 7, 16] { #expect(tokens(text, size: size) == whole) }
    }

    @Test("Long texts are truncated and use bounded memory")
    func longText() throws {
        for text in [
            String(repeating: "é&amp;", count: 100_000), "<![CDATA[" + String(repeating: "x", count: 500_000) + "]]>",
        ] {
            var reader = XMLReader(MemorySource([UInt8]("<r><d>\(text)</d></r>".utf8)), name: "t.xml")
            _ = try reader.next()
            _ = try reader.next()
            let found1 = try reader.next()
            #expect(found1 == .end)
            let found2 = reader.isTextTruncated
            #expect(found2)
            let found3 = reader.text.count
            #expect(found3 == XMLReader.maximumText)
            let found4 = try reader.next()
            #expect(found4 == .end)
            let found5 = try reader.next()
            #expect(found5 == nil)
        }
    }

    @Test(
        "Errors name the line",
        arguments: [
            ("", "line 1: the text contains no XML element"), ("\n\nx<r/>", "line 3: there is text before"),
            ("<r>\n<a>\n</b></r>", "line 3: </b> is found where </a> is expected"),
            ("<r/>\n<r/>", "line 2: <r> follows the end"), ("<r/>\nx", "line 2: there is text after"),
            ("<r>\n<a", "line 2: the text is truncated: it ends in the middle of a tag"),
            ("<r>\n<a>", "line 2: the text is truncated: it ends in the middle of <a>"),
            ("<r>\n<!-- x", "line 2: the text is truncated: it ends in the middle of a comment"),
            ("<r>\n<a b=1/></r>", "line 2: <a> has an attribute"),
            ("<r>\n<a b></a></r>", "line 2: <a> has an attribute"),
            ("<r>\n<a b='1' b='2'/></r>", "line 2: the attribute b occurs twice"),
            ("<r>\n<a b='1'c='2'/></r>", "line 2: attributes are not separated"),
            ("<r>\n<a b='\n&e;'/></r>", "line 2: the entity &e; is unknown"),
            ("<r>\n<a b='<'/></r>", "line 2: a tag begins here but does not end"),
            ("<r>\n< a/></r>", "line 2: a tag without a name begins here"),
            ("<r>\n<!ELEMENT a/></r>", "line 2: this is neither a tag"),
            ("<r>\n</r></r>", "closes an element that is not open"),
            ("<?xml version='1.0' encoding='ISO-8859-1'?><r/>", "iconv -f WINDOWS-1252 -t UTF-8"),
            ("<r>\n\u{1}</r>", "line 2: a control character (1)"), ("<r>\n\u{0}</r>", "line 2: a zero byte"),
        ])
    func errors(text: String, expected: String) {
        for size in [Int.max, 1] {
            let last = tokens(text, size: size).last ?? ""
            #expect(last.contains(expected), "\(last)")
            #expect(last.hasPrefix("t.xml, line "))
        }
    }

    @Test("Invalid UTF-8 is rejected with its line, and the tags before it are read")
    func encoding() {
        for bad: [UInt8] in [
            [0xff], [0xc0, 0x80], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0x80],
        ] {
            let bytes = [UInt8]("<r>\n<e/>\n".utf8) + bad + [UInt8]("</r>".utf8)
            for size in [Int.max, 1] {
                let found = tokens(bytes, size: size)
                #expect(found.dropLast() == ["<r@1", "<e@2", "e>@2"])
                #expect(found.last?.contains("line 3: this is not UTF-8 text") == true, "\(bad)")
            }
        }
        #expect(tokens([0xff, 0xfe, 0x3c, 0]).last?.contains("iconv -f UTF-16") == true)
    }

    @Test("Too deep, too wide and too long elements are rejected")
    func bounds() {
        let deep = String(repeating: "<a>", count: 300)
        #expect(tokens(deep).last?.contains("more than 256 levels deep") == true)
        let wide = (0..<200).map { "a\($0)=''" }.joined(separator: " ")
        #expect(tokens("<r \(wide)/>").last?.contains("more than 128 attributes") == true)
        let long = [UInt8]("<r>\n<a b='".utf8) + [UInt8](repeating: 0x78, count: XMLReader.maximumTag + 10) + [0x27]
        #expect(tokens(long).last?.contains("line 2: a tag with more than") == true)
        let name = String(repeating: "n", count: 2000)
        #expect(tokens("<\(name)/>").last?.contains("the name of a tag") == true)
        // A tag of the maximum size is read.
        let maximumDepthDocument =
            [UInt8]("<r a='".utf8) + [UInt8](repeating: 0x78, count: XMLReader.maximumTag - 20) + [UInt8]("'/>".utf8)
        #expect(tokens(maximumDepthDocument).last == "end")
        #expect(tokens(maximumDepthDocument, size: 1000).last == "end")
    }

    @Test("Reading resumes at a tag in the middle")
    func resuming() throws {
        let bytes = [UInt8]("<r>\n<e/>\n<f>1</f>\n<g></h></r>".utf8)
        var reader = XMLReader(MemorySource(bytes), name: "t.xml")
        while try reader.next() != nil, !reader.isNamed("f") {}
        let (offset, line) = (reader.offset, reader.line())
        #expect((offset, line) == (9, 3))
        var second = XMLReader(
            MemorySource(bytes, from: offset), name: "t.xml", offset: offset, line: line, inside: ["r"])
        let found6 = try second.next()
        #expect(found6 == .start)
        let found7 = second.depth
        #expect(found7 == 2)
        let found8 = second.isNamed("f")
        #expect(found8)
        let found9 = try second.next()
        #expect(found9 == .end)
        let found10 = try second.next()
        #expect(found10 == .start)
        let found11 = second.offset
        #expect(found11 == 18)
        do throws(DeviceError) {
            _ = try second.next()
            Issue.record("</h> closes nothing")
        } catch {
            #expect(error.message.contains("line 4"))
        }
    }
}
