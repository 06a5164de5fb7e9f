// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import Dispatch
import Foundation
import SystemCalls
import Testing

@testable import IIOSource

@Suite("Messages of libiio", .serialized)
struct LibIIOMessagesTests {
    @Test("What a call prints is collected, and what other threads print meanwhile is not")
    func threads() {
        LibIIOMessages.begin()
        errno = ENODEV
        perror("ERROR: of this call")
        let finished = DispatchSemaphore(value: 0)
        let journal = Journal()
        Thread.detachNewThread {
            perror("This line of a test belongs on standard error")
            LibIIOMessages.begin()
            perror("WARNING: of the other call")
            for line in LibIIOMessages.end() { journal.note(line) }
            finished.signal()
        }
        finished.wait()
        let lines = LibIIOMessages.end()
        #expect(lines.count == 1 && lines.first?.hasPrefix("ERROR: of this call") == true, "\(lines)")
        let others = journal.all
        #expect(others.count == 1 && others.first?.hasPrefix("WARNING: of the other call") == true, "\(others)")
    }

    @Test("The output of one call is bounded")
    func bound() {
        LibIIOMessages.begin()
        for _ in 0..<1000 { perror(String(repeating: "x", count: 100)) }
        #expect(LibIIOMessages.end().map(\.utf8.count).reduce(0, +) <= 4096)
    }

    @Test("The program's own stream is back after the calls")
    func original() throws {
        let pipe = Pipe()
        let before = dup(2)
        defer {
            dup2(before, 2)
            close(before)
        }
        LibIIOMessages.begin()
        _ = LibIIOMessages.end()
        dup2(pipe.fileHandleForWriting.fileDescriptor, 2)
        perror("on descriptor 2")
        dup2(before, 2)
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(text.contains("on descriptor 2"))
    }
}
#endif
