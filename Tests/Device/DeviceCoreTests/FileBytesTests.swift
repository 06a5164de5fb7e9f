// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import Testing

@testable import DeviceCore

@Suite("Reading files")
struct FileBytesTests {
    private static func temporary() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test("A file is read in full up to the limit, and a longer one is rejected")
    func limit() throws {
        let folder = try Self.temporary()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "file")
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        try Data(bytes).write(to: file)
        #expect(try FileIO.read(file.path, limit: 200_000) == bytes)
        let error = #expect(throws: DeviceError.self) { try FileIO.read(file.path, limit: 199_999) }
        #expect(error?.code == .inputOutput)
        #expect(error?.message.contains("199999") == true)
    }

    @Test("A read waits for the writer of a pipe")
    func slowPipe() throws {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        defer { close(reader) }
        try WorkerThread.start {
            for byte in [1, 2, 3] as [UInt8] {
                sched_yield()
                _ = [byte].withUnsafeBytes { systemWrite(writer, $0) }
            }
            systemClose(writer)
        }
        #expect(try FileIO.read("/dev/fd/\(reader)", limit: 100) == [1, 2, 3])
    }

    @Test("An endless file is rejected at the limit")
    func endless() throws {
        let error = #expect(throws: DeviceError.self) { try FileIO.read("/dev/zero", limit: 1 << 20) }
        #expect(error?.code == .inputOutput)
    }

    @Test("A missing file and a directory throw errors, and a FIFO without a writer is empty")
    func failures() throws {
        let folder = try Self.temporary()
        defer { try? FileManager.default.removeItem(at: folder) }
        let missing = #expect(throws: DeviceError.self) { try FileIO.read(folder.path + "/none", limit: 10) }
        #expect(missing?.code == .notFound)
        let isFolder = #expect(throws: DeviceError.self) { try FileIO.read(folder.path, limit: 10) }
        #expect(isFolder?.code == .inputOutput)
        #expect(isFolder?.message.contains("directory") == true)
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(try FileIO.read(pipe, limit: 10) == [])
    }
}
