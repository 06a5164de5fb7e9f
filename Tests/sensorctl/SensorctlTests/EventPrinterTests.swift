// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Testing

@testable import sensorctl

@Suite("Queue of lines to print")
struct EventPrinterTests {
    private final class Page: Sendable {
        let lines = Mutex<[String]>([])

        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    @Test("Lines are printed in order, followed by the number of dropped lines")
    func bound() {
        let (page, gate) = (Page(), BinarySemaphore())
        let printer = EventPrinter { count in
            page.add("missed \(count)")
            return true
        }
        for line in ["a", "b", "c", "d"] {
            printer.print(EventPrinter.limit / 2) {
                if line == "a" { gate.wait(seconds: 60) }
                page.add(line)
                return true
            }
        }
        gate.signal()
        printer.finish()
        printer.print(1) {
            page.add("e")
            return true
        }
        printer.finish()
        #expect(page.lines.withLock { $0 } == ["a", "b", "missed 2", "e"])
    }

    @Test("After a failed write, no further line is printed")
    func closed() {
        let page = Page()
        let printer = EventPrinter { _ in true }
        for line in ["a", "b"] {
            printer.print(1) {
                page.add(line)
                return false
            }
        }
        printer.finish()
        #expect(page.lines.withLock { $0 } == ["a"])
    }
}
