// SPDX-License-Identifier: Apache-2.0

// The counterpart of accessory.c on a byte channel: echo PATH COUNT, bulk PATH BYTES, idle PATH 0.

import AccessoryFinding
import ByteChannels
import DeviceCore
import Dispatch
import SystemCalls

func seconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let count = UInt32(arguments[3]) else { exit(2) }
let channel = try ChannelOpener.open(.tty(path: arguments[2], TTYSettings()), clock: LiveClock())
let readable = DispatchSemaphore(value: 0)
channel.observe { event in
    switch event {
    case .readable, .ended: readable.signal()
    case .writable: break
    }
}

func send(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { _ = channel.write($0) }
}

func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
        switch channel.read(into: buffer) {
        case .bytes(let count): return count
        case .empty: readable.wait()
        case .ended: exit(1)
        }
    }
}

let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
let size = [count, count >> 8, count >> 16, count >> 24].map { UInt8(truncatingIfNeeded: $0) }
switch arguments[1] {
case "echo":
    send([UInt8(ascii: "e")] + size)
    var times: [Double] = []
    times.reserveCapacity(Int(count))
    for round in 0..<count {
        let byte = [UInt8(truncatingIfNeeded: round)]
        let start = seconds()
        send(byte)
        _ = receive(into: buffer)
        times.append((seconds() - start) * 1e6)
    }
    times.sort()
    print("{\"p50_us\": \(times[times.count / 2]), \"p99_us\": \(times[times.count * 99 / 100])}")
case "bulk":
    send([UInt8(ascii: "b")] + size)
    let start = seconds()
    var done = 0
    while done < Int(count) { done += receive(into: buffer) }
    print("{\"mb_per_s\": \(Double(count) / (seconds() - start) / 1e6)}")
default:
    while true { pause() }
}
