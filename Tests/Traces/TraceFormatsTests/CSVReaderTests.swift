// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import TraceFormats

@Suite("CSV reader")
struct CSVReaderTests {
    /// Returns the header and the rows of a text, or the error.
    private func rows(_ text: String) -> Result<[[String]], DeviceError> {
        [UInt8](text.utf8).withUnsafeBytes { bytes in
            do throws(DeviceError) {
                var reader = try CSVReader(bytes, name: "t.csv")
                try reader.readHeader()
                var rows = [reader.header]
                while try reader.next() { rows.append(reader.cells.indices.map { reader.text($0) }) }
                return .success(rows)
            } catch {
                return .failure(error)
            }
        }
    }

    @Test(
        "Line endings, byte order marks, comments, whitespace, quotes and separators do not change the cells",
        arguments: [
            "a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4\r\n", "\u{feff}A,B\n1,2\n3,4\n", "a,b\r1,2\r3,4\r",
            "# made by\n\na,b\n# one\n1,2\n\n \t\n3,4\n\n", " a , b \n 1 ,\t2\n3 , 4\n",
            "\"a\",\"b\"\n\"1\",\"2\"\n3,\"4\" \n",
            "a;b\n1;2\n3;4\n", "a\tb\n1\t2\n3\t4\n", "a,b\n1,2,\n3,4,\n", "a,b\n1,2\n3,4\n\0\0\0\0",
        ])
    func equivalents(text: String) throws {
        #expect(try rows(text).get() == [["a", "b"], ["1", "2"], ["3", "4"]])
    }

    @Test("Quoted cells may contain separators, quotes and line endings")
    func quotes() throws {
        let text = "name,x\n\"a, \"\"b\"\"\nc\",1\nd,2\n"
        #expect(try rows(text).get() == [["name", "x"], ["a, \"b\"\nc", "1"], ["d", "2"]])
    }

    @Test(
        "Errors name the line and column",
        arguments: [
            ("", "t.csv is empty"), ("a,b\n1,\"2\n3,4\n", "line 2, column 2 (b): a quote begins here"),
            ("a,b\n\"1\"2,3\n", "line 2, column 1 (a): there is text after a closing quote"),
            ("a,b\n\n1,2\n1,2,3\n", "line 4: the row has 3 cells, but the header has 2"),
            ("a,b,A\n", "line 1, column 3 (a): there are two columns"),
            ("x,y\n\"p\nq\",1\n1,\"\n", "line 4, column 2 (y)"),
            ("x,y\r\"p\rq\",1\r1,\"\r", "line 4, column 2 (y)"),
            ("x,y\r\n\"p\r\nq\",1\r\n1,\"\r\n", "line 4, column 2 (y)"),
        ])
    func errors(text: String, expected: String) {
        guard case .failure(let error) = rows(text) else {
            Issue.record("\(text) was read")
            return
        }
        #expect(error.message.contains(expected), "\(error.message)")
    }

    @Test("An unclosed quote and an overlong row are errors")
    func bounds() {
        #expect(throws: DeviceError.self) { try rows("a,b\n\"" + String(repeating: "x", count: 3 << 20)).get() }
        #expect(throws: DeviceError.self) { try rows("a" + String(repeating: ",", count: 5000)).get() }
    }
}
