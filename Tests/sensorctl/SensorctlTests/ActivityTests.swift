// SPDX-License-Identifier: Apache-2.0

import Testing
import Trace

@testable import sensorctl

@Suite("The progress of long commands")
struct ActivityTests {
    @Test("The text fits into the terminal and keeps the end of the path")
    func line() {
        #expect(Activity.line("Reading drive.trace", 0.437, 6, width: 80) == "Reading drive.trace: 43 %, 6 s")
        #expect(Activity.line("Reading drive.trace", nil, 6, width: 80) == "Reading drive.trace, 6 s")
        // 30 characters fit into 31 columns, but not into 30.
        #expect(Activity.line("Reading drive.trace", 0.437, 6, width: 31) == "Reading drive.trace: 43 %, 6 s")
        #expect(Activity.line("Reading drive.trace", 0.437, 6, width: 30) == "…ading drive.trace: 43 %, 6 s")
        #expect(Activity.line("Reading drive.trace", 0.437, 6, width: 12) == "43 %, 6 s")
        for width in 0..<40 {
            #expect(Activity.line("Reading drive.trace", 0.5, 100, width: width).count <= max(width - 1, 0))
        }
        #expect(!Activity.line("Reading a\u{1B}[2J", nil, 1, width: 80).contains("\u{1B}"))
    }
}
