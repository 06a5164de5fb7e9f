// SPDX-License-Identifier: Apache-2.0

// The counterpart of accessory.c on the streams of a session, with a delegate on the main run loop. Uses the first
// attached accessory: see DEVICE_SERVICES_ACCESSORIES. echo COUNT, bulk BYTES, idle 0.

import ExternalAccessory
import Foundation
import SystemCalls

func seconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}

final class Talk: NSObject, StreamDelegate {
    let session: EASession
    let kind: String
    let count: Int
    var done = 0
    var times: [Double] = []
    var start = 0.0
    var buffer = [UInt8](repeating: 0, count: 4096)

    init(_ session: EASession, _ kind: String, _ count: Int) {
        self.session = session
        self.kind = kind
        self.count = count
        super.init()
        for stream in [session.inputStream, session.outputStream] as [Stream?] {
            stream?.delegate = self
            stream?.schedule(in: .main, forMode: .default)
            stream?.open()
        }
    }

    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { session.outputStream?.write($0, maxLength: buffer.count) ?? -1 }
        }
    }

    func begin() {
        let size = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: count >> $0) }
        send([UInt8(ascii: kind == "echo" ? "e" : "b")] + size)
        start = seconds()
        if kind == "echo" { send([0]) }
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        if event.contains(.endEncountered) || event.contains(.errorOccurred) { exit(kind == "idle" ? 0 : 1) }
        guard event.contains(.hasBytesAvailable), let input = session.inputStream else { return }
        let read = buffer.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { input.read($0, maxLength: buffer.count) } ?? 0
        }
        guard read > 0 else { return }
        let now = seconds()
        done += kind == "echo" ? 1 : read
        if kind == "echo" { times.append((now - start) * 1e6) }
        if done >= count { return finish(now) }
        if kind == "echo" {
            start = seconds()
            send([UInt8(truncatingIfNeeded: done)])
        }
    }

    func finish(_ now: Double) {
        if kind == "echo" {
            times.sort()
            print("{\"p50_us\": \(times[times.count / 2]), \"p99_us\": \(times[times.count * 99 / 100])}")
        } else {
            print("{\"mb_per_s\": \(Double(count) / (now - start) / 1e6)}")
        }
        exit(0)
    }
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let count = Int(arguments[2]),
    let accessory = EAAccessoryManager.shared().connectedAccessories.first,
    let name = accessory.protocolStrings.first, let session = EASession(accessory: accessory, forProtocol: name)
else {
    print("{}")
    exit(2)
}
let talk = Talk(session, arguments[1], count)
if talk.kind != "idle" { talk.begin() }
RunLoop.main.run()
