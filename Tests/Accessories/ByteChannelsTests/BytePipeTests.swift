// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct BytePipeTests {
    private func write(_ pipe: BytePipe, _ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { if case .accepted(let count) = pipe.write($0) { count } else { -1 } }
    }

    private func read(_ pipe: BytePipe, _ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
            if case .bytes(let read) = pipe.read(into: UnsafeMutableRawBufferPointer(buffer)) { size = read }
        }
    }

    private func fill(_ pipe: BytePipe, _ bytes: [UInt8]) -> Int? {
        pipe.fillUnlocked { memory in
            let count = min(memory.count, bytes.count)
            memory.copyBytes(from: bytes[..<count])
            return (count, count)
        }
    }

    @Test("Each side is notified once when the pipe becomes readable or writable")
    func edges() {
        let pipe = BytePipe(capacity: 8)
        let readable = Atomic<Int>(0)
        let writable = Atomic<Int>(0)
        pipe.observeReader { if case .readable = $0 { readable.add(1, ordering: .relaxed) } }
        pipe.observeWriter { if case .writable = $0 { writable.add(1, ordering: .relaxed) } }
        #expect(write(pipe, [1, 2, 3]) == 3)
        #expect(write(pipe, [4]) == 1)
        #expect(readable.load(ordering: .relaxed) == 1)
        #expect(read(pipe, 2) == [1, 2])
        #expect(writable.load(ordering: .relaxed) == 0)
        #expect(write(pipe, Array(5...20)) == 6)
        #expect(read(pipe, 1) == [3])
        #expect(writable.load(ordering: .relaxed) == 1)
        #expect(read(pipe, 100) == [4, 5, 6, 7, 8, 9, 10])
        #expect(write(pipe, [1]) == 1)
        #expect(readable.load(ordering: .relaxed) == 2)
        #expect(writable.load(ordering: .relaxed) == 1)
    }

    @Test("The writer is not notified before the minimum space is available")
    func threshold() {
        let pipe = BytePipe(capacity: 8, minimumWritableSpace: 4)
        let writable = Atomic<Int>(0)
        pipe.observeWriter { if case .writable = $0 { writable.add(1, ordering: .relaxed) } }
        #expect(write(pipe, Array(1...8)) == 8)
        #expect(pipe.isWriterWaiting)
        #expect(read(pipe, 3) == [1, 2, 3])
        #expect(writable.load(ordering: .relaxed) == 0)
        #expect(read(pipe, 1) == [4])
        #expect(writable.load(ordering: .relaxed) == 1)
        #expect(!pipe.isWriterWaiting)
    }

    @Test("Memory that is being filled stays valid while the reader drains the pipe")
    func fillWhileRead() {
        let pipe = BytePipe(capacity: 8)
        #expect(write(pipe, [1, 2, 3, 4, 5]) == 5)
        let added = pipe.fillUnlocked { memory -> (count: Int, result: Int) in
            // The free space up to the end of the ring buffer.
            #expect(memory.count == 3)
            #expect(read(pipe, 8) == [1, 2, 3, 4, 5])
            memory.copyBytes(from: [6, 7] as [UInt8])
            return (2, 2)
        }
        #expect(added == 2)
        #expect(fill(pipe, [8, 9, 10, 11]) == 1)
        #expect(fill(pipe, [9, 10, 11]) == 3)
        #expect(read(pipe, 8) == [6, 7, 8, 9, 10, 11])
    }

    @Test("A full pipe accepts no bytes and notifies the writer when space is available")
    func fillFull() {
        let pipe = BytePipe(capacity: 2)
        let received = Flag()
        pipe.observeWriter { if case .writable = $0 { received.raise() } }
        #expect(fill(pipe, [1, 2, 3]) == 2)
        #expect(fill(pipe, [3]) == nil)
        #expect(read(pipe, 1) == [1])
        #expect(received.isRaised)
        #expect(fill(pipe, [3]) == 1)
        #expect(read(pipe, 2) == [2, 3])
    }

    @Test("Buffered bytes are read before the end, and bytes added while the pipe ends are dropped")
    func ending() {
        let pipe = BytePipe(capacity: 8)
        #expect(write(pipe, [1, 2]) == 2)
        let filled = pipe.fillUnlocked { memory -> (count: Int, result: Bool) in
            pipe.finish(ByteChannelEnd(.hungUp))
            memory[0] = 3
            return (1, true)
        }
        #expect(filled == true)
        pipe.finish(ByteChannelEnd(.closed))
        #expect(read(pipe, 8) == [1, 2])
        guard case .ended(let end) = pipe.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0)) else {
            Issue.record("no end")
            return
        }
        #expect(end.reason == .hungUp)
        #expect(write(pipe, [1]) == -1)
        #expect(fill(pipe, [1]) == nil)
        #expect(pipe.spaceAvailable == 0)
    }

    @Test("Two threads transfer megabytes through a small pipe without loss or duplication")
    func threads() {
        let pipe = BytePipe(capacity: 1000, minimumWritableSpace: 300)
        let space = BinarySemaphore()
        let bytes = BinarySemaphore()
        pipe.observeWriter { _ in space.signal() }
        pipe.observeReader { _ in bytes.signal() }
        let total = 2_000_000
        let source = pattern(65_536)
        Thread.detachNewThread {
            var done = 0
            while done < total {
                let start = done % source.count
                let chunk = Array(source[start..<min(start + 777, source.count, start + total - done)])
                if let count = fill(pipe, chunk) { done += count } else { space.wait(seconds: 60) }
            }
            pipe.finish(ByteChannelEnd(.closed))
        }
        var count = 0
        var isCorrect = true
        while true {
            let part = read(pipe, 333)
            for (index, byte) in part.enumerated() where byte != source[(count + index) % source.count] {
                isCorrect = false
            }
            count += part.count
            if part.isEmpty {
                if pipe.end != nil, pipe.bytesAvailable == 0 { break }
                guard bytes.wait(seconds: 60) else { break }
            }
        }
        #expect(count == total)
        #expect(isCorrect)
    }
}
