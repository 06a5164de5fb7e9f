import SimulatedDevice
import Testing
import TraceEditing

@testable import Trip

@Test func countsTheWay() throws {
    let device = SimulatedDevice(try TraceFile(path: "drive.trace"))
    try device.use {
        let trip = Trip()
        trip.start()
        try device.play()
        #expect(trip.losses == 0)
        #expect((340...370).contains(trip.distance))
    }
}

@Test func goesOnWhenTheReceiverIsBack() throws {
    let drive = try TraceFile(path: "drive.trace")
    let faults = FaultEdit(try TraceFault.list("loss@20s+10s"), seed: 1)
    let device = SimulatedDevice(try TraceEditor.trace(drive, edits: [faults], named: "a loss"))
    try device.use {
        let trip = Trip()
        trip.start()
        try device.play()
        #expect(trip.losses == 1)
        #expect((320...370).contains(trip.distance))
    }
}
