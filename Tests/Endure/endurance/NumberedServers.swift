// SPDX-License-Identifier: Apache-2.0

import AccessorySimulator
import DeviceCore
import Foundation
import GPSDSimulator
import IIODSimulator
import Synchronization
import Trace

/// Servers that start and stop on command, and print the number of readings they have sent.
final class NumberedServers: Sendable {
    private let accessories = AccessorySimulator()
    private let attached = Mutex<[Int: AccessorySimulator.ID]>([:])

    func run() {
        do {
            let folder = try accessories.start()
            Lines.write("ready", of: folder)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
        Lines.readCommands { words in
            // Each command runs on its own thread, because it may wait.
            Thread.detachNewThread { self.execute(words) }
        }
        while true { sleep(1000) }
    }

    private func execute(_ words: [String]) {
        let numbers = words.map { Int($0) ?? 0 }
        do {
            switch (words.dropFirst().first, numbers.count) {
            case ("gpsd", 6...):
                try serveFixes(numbers[0], port: numbers[2], run: numbers[3], count: numbers[4], end: words[5])
            case ("iiod", 5...):
                try serveSamples(numbers[0], port: numbers[2], run: numbers[3], milliseconds: numbers[4])
            case ("attach", 3...): try attach(numbers[2], id: numbers[0])
            case ("detach", 3...): detach(numbers[2], id: numbers[0])
            default: exit(64)
            }
        } catch {
            FileHandle.standardError.write(Data("\(words.joined(separator: " ")): \(error)\n".utf8))
            Lines.write("response", ["id": numbers[0], "failed": 1])
        }
    }

    /// Runs gpsd until it has sent `count` fixes. `end` specifies how the connection ends.
    private func serveFixes(_ id: Int, port: Int, run: Int, count: Int, end: String) throws {
        var options = GPSDServerOptions()
        options.port = UInt16(clamping: port)
        options.timestampPolicy = .now
        var more = 0
        switch end {
        case "cut":
            // The connection is reset and the port is closed, as when the process is killed.
            options.faults = [GPSDFault(.kill, at: .reading(Int64(count)))]
            more = 1
        case "half":
            // The connection ends in the middle of another report.
            options.faults = [
                GPSDFault(.halfLine(nil), at: .reading(Int64(count))), GPSDFault(.kill, at: .reading(Int64(count) + 1)),
            ]
            more = 2
        default: break
        }
        let server = GPSDServer(try Numbers.trace(run: run, count: count + more), options: options)
        try server.start()
        let hasPlayed = server.waitUntilPlayed(seconds: Double(count) * Numbers.fixInterval + 60)
        let (sent, unread) = (min(count, Int(server.reportCount)), Int(server.lostCount))
        server.stop()
        Lines.write("response", ["id": id, "sent": sent, "unread": unread, "failed": hasPlayed ? 0 : 1])
    }

    /// Runs iiod for `milliseconds` after a client has begun to capture.
    private func serveSamples(_ id: Int, port: Int, run: Int, milliseconds: Int) throws {
        var options = IIODServerOptions()
        options.port = UInt16(clamping: port)
        options.end = .loop
        // Direct reads of an axis have no number.
        options.attributesFollowSamples = false
        let server = IIODServer(context: Numbers.board(), samples: Numbers.Samples(run: run), options: options)
        try server.start()
        let limit = ContinuousClock.now + .seconds(60)
        while server.samplesSent == 0, ContinuousClock.now < limit { usleep(2000) }
        usleep(UInt32(milliseconds) * 1000)
        server.stop()
        Lines.write("response", ["id": id, "sent": Int(server.samplesSent), "failed": server.samplesSent == 0 ? 1 : 0])
    }

    private func attach(_ number: Int, id: Int) throws {
        let description = AccessoryDescription(
            identity: "endure:\(number)", name: "Scale", manufacturer: "Example", modelNumber: "E",
            serialNumber: String(number))
        let accessory = SimulatedAccessory(
            description, endpoints: [SimulatedAccessory.Endpoint(name: "com.example.scale", peer: EchoPeer())])
        let identifier = try accessories.attach(accessory)
        attached.withLock { $0[number] = identifier }
        Lines.write("response", ["id": id])
    }

    private func detach(_ number: Int, id: Int) {
        if let identifier = attached.withLock({ $0.removeValue(forKey: number) }) {
            accessories.detach(identifier, .immediately)
        }
        Lines.write("response", ["id": id])
    }
}
