// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat

@testable import IIODSimulator

/// The input is a script of several clients of a simulated iiod. The answers do not depend on how the bytes are split,
/// nor on an incomplete line from another client.
func fuzzIIOServer(_ input: UnsafeBufferPointer<UInt8>) {
    let script = ClientScript(input)
    var plain = Stage(script, inPieces: false)
    var split = Stage(script, inPieces: true)
    for step in script.steps {
        plain.perform(step)
        split.perform(step)
    }
    precondition(plain.received == split.received, "answers depend on how requests were split")
    plain.end()
    split.end()
}

/// The devices of simulated and scripted servers.
let fuzzedDevices: IIOContext = {
    var accelerometer = IIODevice(id: "iio:device0", name: "mpu6050")
    for (index, axis) in ["x", "y", "z"].enumerated() {
        let scan = IIODataFormat("be:s16/16>>0").map { IIOScanElement(index: index, format: $0, scale: 0.000598) }
        accelerometer.channels.append(
            IIOChannel(
                id: "accel_\(axis)", scan: scan,
                attributes: [
                    IIOAttribute(name: "raw", filename: "in_accel_\(axis)_raw", value: "100"),
                    IIOAttribute(name: "scale", filename: "in_accel_scale", value: "0.000598"),
                    IIOAttribute(
                        name: "scale_available", filename: "in_accel_scale_available", value: "0.000598 0.004785"),
                ]))
    }
    let stamp = IIODataFormat("le:s64/64>>0").map { IIOScanElement(index: 3, format: $0) }
    accelerometer.channels.append(IIOChannel(id: "timestamp", scan: stamp))
    accelerometer.attributes = [
        IIOAttribute(name: "current_timestamp_clock", value: "realtime"),
        IIOAttribute(name: "sampling_frequency", value: "100"),
        IIOAttribute(name: "sampling_frequency_available", value: "10 20 50 100 200 500"),
    ]
    accelerometer.bufferAttributes = [IIOAttribute(name: "data_available", value: "0")]
    var pressure = IIODevice(id: "iio:device1", name: "bmp280")
    pressure.channels = [IIOChannel(id: "pressure", attributes: [IIOAttribute(name: "input", value: "101.3")])]
    return IIOContext(
        description: "Linux fuzz", devices: [accelerometer, pressure, IIODevice(id: "trigger0", name: "mpu6050-dev0")])
}()

/// The initial states by options, cached because the answer to PRINT takes long to build.
private nonisolated(unsafe) var initialStates: [UInt8: IIODState] = [:]

private func makeState(_ script: ClientScript) -> IIODState {
    var simulated = SimulatedIIOContext(fuzzedDevices)
    if script.has(0) { simulated.devicesNeedingTrigger = ["iio:device0"] }
    var options = IIODServerOptions()
    options.pace = script.has(1) ? .onDemand : .realTime(speed: script.has(2) ? 10 : 1)
    options.end = script.has(3) ? .noDevice : script.has(4) ? .loop : .stall
    options.timestampPolicy = script.has(5) ? .trace : .clock
    options.refusesRawReadsWhileBufferEnabled = script.has(6)
    let readings: [SensorKind: SIMD3<Double>] = [.accelerometer: SIMD3(0, 0, 9.80665)]
    var signals = simulated.context.devices.map { IIORestSource(readings).signals(for: $0) }
    if script.has(3) || script.has(4) { signals[0].duration = 1_500_000_000 }
    return IIODState(context: simulated, signals: signals, options: options) { clock in
        clock == .boottime ? 5_000_000_000 : 1_700_000_000_000_000_000
    }
}

private struct Stage {
    private var state: IIODState
    private var sessions = [IIODSession?](repeating: nil, count: ClientScript.maximumClients)
    /// A client that sends incomplete lines only, nil if bytes are not split.
    private var incompleteClient: IIODSession?
    private var now = BootTime(nanoseconds: 5_000_000_000)
    private(set) var received = [[UInt8]](repeating: [], count: ClientScript.maximumClients)

    init(_ script: ClientScript, inPieces: Bool) {
        let choice = script.options.first ?? 0
        state = initialStates[choice] ?? makeState(script)
        initialStates[choice] = state
        if inPieces { incompleteClient = IIODSession() }
    }

    mutating func perform(_ step: ClientScript.Step) {
        switch step.action {
        case .connect where sessions[step.client] == nil: sessions[step.client] = IIODSession()
        case .connect, .read: break
        case .send, .sendOften: send(step)
        case .hangUp, .end: close(step.client)
        case .wait:
            now = BootTime(nanoseconds: now.nanoseconds + step.nanoseconds)
            _ = state.applyFaults(now: now)
        case .fault:
            for fault in (try? IIODFault.list(String(decoding: step.bytes, as: UTF8.self))) ?? [] { state.add(fault) }
            _ = state.applyFaults(now: now)
        }
        for client in sessions.indices { advance(client) }
        let actions = state.faults.drainConnectionActions()
        if actions.drops || actions.isListening == false { for client in sessions.indices { close(client) } }
        check()
    }

    private mutating func send(_ step: ClientScript.Step) {
        guard sessions[step.client] != nil else { return }
        guard incompleteClient != nil else {
            step.sent.withUnsafeBytes { sessions[step.client]?.receive($0) }
            return
        }
        for piece in step.pieces {
            piece.withUnsafeBytes { sessions[step.client]?.receive($0) }
            advance(step.client)
        }
        // The same bytes without line ends, as from a client that never completes a line.
        step.bytes.filter { $0 != 10 }.withUnsafeBytes { incompleteClient?.receive($0) }
        guard let wait = incompleteClient?.advance(&state, now: now) else { return }
        // The only answer is the error for an overlong line.
        precondition(wait == .input || wait == .output)
        if let count = incompleteClient?.output.count { incompleteClient?.output.sent = count }
    }

    /// Reads the pending answers. A session that is reading samples is closed after more data than this test needs.
    private mutating func advance(_ client: Int) {
        while var session = sessions[client] {
            // Moves the session out of the array, so that blocks of samples are not copied.
            sessions[client] = nil
            let wait = session.advance(&state, now: now)
            guard wait == .output else {
                sessions[client] = session
                if wait == .ended || (session.isReading && received[client].count > Self.maximumReceived) {
                    close(client)
                }
                return
            }
            precondition(session.output.head.count < IIODSession.outputThreshold + 2 * IIODSession.maximumValueLength)
            session.withOutput { head, scans in
                precondition(scans.count <= SampleStream.maximumChunkSize)
                received[client].append(contentsOf: head)
                received[client].append(contentsOf: scans)
            }
            session.output.sent = session.output.count
            sessions[client] = session
            if session.isReading, received[client].count > Self.maximumReceived { return close(client) }
        }
    }

    private static let maximumReceived = 1 << 18

    private mutating func close(_ client: Int) {
        sessions[client]?.close(&state)
        sessions[client] = nil
    }

    /// A device captures only while a client has it open.
    private func check() {
        for device in state.context.context.devices.indices {
            precondition(state.isBufferEnabled(device) == sessions.contains { $0?.streams[device] != nil })
        }
    }

    /// A client that hangs up leaves no device open.
    mutating func end() {
        for client in sessions.indices { close(client) }
        check()
    }
}
