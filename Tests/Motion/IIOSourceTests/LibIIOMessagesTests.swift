// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import Dispatch
import Foundation
import SystemCalls
import Testing

@testable import IIOSource

@Suite("Messages of libiio", .serialized)
struct LibIIOMessagesTests {
    @Test("The messages of a call are collected, and those of other threads are not")
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
            for line in LibIIOMessages.end() { journal.record(line) }
            finished.signal()
        }
        finished.wait()
        let lines = LibIIOMessages.end()
        #expect(lines.count == 1 && lines.first?.hasPrefix("ERROR: of this call") == true, "\(lines)")
        let others = journal.all
        #expect(others.count == 1 && others.first?.hasPrefix("WARNING: of the other call") == true, "\(others)")
    }

    @Test("The collected output of a call is bounded")
    func bound() {
        LibIIOMessages.begin()
        for _ in 0..<1000 { perror(String(repeating: "x", count: 100)) }
        #expect(LibIIOMessages.end().map(\.utf8.count).reduce(0, +) <= 4096)
    }

    @Test("stderr is replaced only during calls, even if they overlap")
    func original() throws {
        let standardError = try #require(dlsym(nil, "stderr")).assumingMemoryBound(to: Int.self)
        let original = standardError.pointee
        LibIIOMessages.begin()
        let replaced = standardError.pointee
        #expect(replaced != original)
        let (other, first) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let finished = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            LibIIOMessages.begin()
            other.signal()
            first.wait()
            _ = LibIIOMessages.end()
            finished.signal()
        }
        other.wait()
        _ = LibIIOMessages.end()
        #expect(standardError.pointee == replaced)
        first.signal()
        finished.wait()
        #expect(standardError.pointee == original)
    }
}
#endif
