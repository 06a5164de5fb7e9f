// SPDX-License-Identifier: Apache-2.0

import GPSDProtocol
import Testing

@Suite("gpsd's regression corpus")
struct CorpusTests {
    @Test("Every line is decoded as by Python's json module")
    func readsAsPython() throws {
        var expected = try Corpus.expected()[...]
        #expect(expected.count == 789)
        var decoder = GPSDDecoder()
        for line in try Corpus.lines() {
            let report = decoder.decode(line.bytes)
            guard line.isReport else {
                guard case .malformed(let reason) = report else {
                    Issue.record("\(line.file):\(line.number) is no report")
                    continue
                }
                #expect(reason.reason == (line.bytes.isEmpty ? .truncated : .notAnObject))
                continue
            }
            let found = Fingerprint.of(report)
            let row = [line.file, String(line.number), found.name, found.hash]
            #expect(row == expected.popFirst())
        }
        #expect(expected.isEmpty)
    }
}
