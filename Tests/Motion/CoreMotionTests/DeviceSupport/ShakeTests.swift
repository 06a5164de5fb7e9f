// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import DeviceSupport
import Dispatch
import Testing

/// A responder that logs its motion events.
private class Responder: UIResponder {
    let name: String
    var nextResponder: UIResponder?
    var refuses = false
    var handles = true
    static var log: [String] = []
    var events: [UIEvent] = []
    var onBegan: () -> Void = {}

    init(_ name: String) {
        self.name = name
        super.init()
    }

    override var next: UIResponder? { nextResponder }
    override var canBecomeFirstResponder: Bool { true }
    override var canResignFirstResponder: Bool { !refuses }

    override func motionBegan(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
        record("began", event)
        onBegan()
        if !handles { super.motionBegan(motion, with: event) }
    }

    override func motionEnded(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
        record("ended", event)
        if !handles { super.motionEnded(motion, with: event) }
    }

    override func motionCancelled(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
        record("cancelled", event)
        if !handles { super.motionCancelled(motion, with: event) }
    }

    private func record(_ text: String, _ event: UIEvent?) {
        Responder.log.append("\(name) \(text)")
        if let event { events.append(event) }
    }
}

/// A responder that overrides only `motionEnded`, as many apps do.
private final class EndOnly: UIResponder {
    var count = 0

    override var canBecomeFirstResponder: Bool { true }

    override func motionEnded(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
        if motion == .motionShake { count += 1 }
    }
}

@Suite("Shake events", .serialized) @MainActor
struct ShakeTests {
    let test = UIDeviceBench()

    init() {
        Responder.log = []
    }

    /// Returns the reading of a device that lies face up and is shaken along x at 4 Hz with ±2.5 g.
    private nonisolated static func shaking(_ time: Double) -> SIMD3<Double> {
        let phase = (time * 4).truncatingRemainder(dividingBy: 1)
        let stroke = phase < 0.5 ? 2.5 : -2.5
        return [stroke * UIDeviceBench.gravity, 0, UIDeviceBench.gravity]
    }

    private func rest(_ seconds: Double) { test.feed(seconds: seconds) { _ in [0, 0, UIDeviceBench.gravity] } }

    private func shake(_ seconds: Double) { test.feed(seconds: seconds, Self.shaking) }

    @Test("The accelerometer runs at 50 Hz while a first responder exists")
    func hardware() {
        test.use {
            let responder = Responder("a")
            #expect(test.interval == nil)
            #expect(responder.becomeFirstResponder())
            #expect(responder.isFirstResponder)
            #expect(UIResponder.firstResponder === responder)
            #expect(test.interval == 1.0 / 50)
            #expect(responder.resignFirstResponder())
            #expect(!responder.isFirstResponder)
            #expect(test.interval == nil)
        }
    }

    @Test("A short shake delivers a began and an ended event with the readings of those times")
    func short() throws {
        try test.use {
            let responder = Responder("a")
            responder.becomeFirstResponder()
            rest(1)
            shake(0.8)
            #expect(Responder.log == ["a began"])
            rest(2)
            #expect(Responder.log == ["a began", "a ended"])
            let began = try #require(responder.events.first)
            let ended = try #require(responder.events.last)
            #expect(began.type == .motion)
            #expect(began.subtype == .motionShake)
            // The device rests from 100 s to 101 s, is shaken until 101.8 s, and rests again.
            #expect((101.2...101.8).contains(began.timestamp))
            #expect((101.8...102.8).contains(ended.timestamp))
            #expect(abs(abs(try #require(began.acceleration).x) - 2.5) < 1e-9)
            let last = try #require(ended.acceleration)
            #expect((last.x, last.y, last.z) == (0, 0, -1))
            #expect(last.timestamp == ended.timestamp)
        }
    }

    @Test("A long shake is cancelled")
    func long() {
        test.use {
            let responder = Responder("a")
            responder.becomeFirstResponder()
            rest(1)
            shake(4)
            #expect(Responder.log == ["a began", "a cancelled"])
            rest(3)
            shake(0.8)
            rest(2)
            #expect(Responder.log == ["a began", "a cancelled", "a began", "a ended"])
        }
    }

    @Test("Events that a responder does not handle are forwarded along the responder chain")
    func chain() {
        test.use {
            let window = Responder("window")
            let view = Responder("view")
            let plain = UIResponder()
            let button = EndOnly()
            view.handles = false
            view.nextResponder = window
            view.becomeFirstResponder()
            rest(1)
            shake(0.8)
            rest(2)
            #expect(Responder.log == ["view began", "window began", "view ended", "window ended"])
            #expect(window.events.first === view.events.first)
            // A responder that overrides only `motionEnded` receives the end, and the end of the chain ignores events.
            button.becomeFirstResponder()
            shake(0.8)
            rest(2)
            #expect(button.count == 1)
            #expect(plain.next == nil)
            plain.motionBegan(.motionShake, with: nil)
        }
    }

    @Test("A responder that resigns during a shake receives a cancelled event, and its successor receives no event")
    func resigning() {
        test.use {
            let first = Responder("first")
            let second = Responder("second")
            first.becomeFirstResponder()
            rest(1)
            shake(0.8)
            #expect(second.becomeFirstResponder())
            #expect(Responder.log == ["first began"])
            rest(2)
            #expect(Responder.log == ["first began", "first cancelled"])
            shake(0.8)
            rest(2)
            #expect(Responder.log.suffix(2) == ["second began", "second ended"])
        }
    }

    @Test("Resigning in a motion callback also delivers a cancelled event")
    func resigningInCallback() {
        test.use {
            let responder = Responder("a")
            responder.onBegan = { responder.resignFirstResponder() }
            responder.becomeFirstResponder()
            rest(1)
            shake(0.8)
            rest(1)
            #expect(Responder.log == ["a began", "a cancelled"])
            #expect(test.interval == nil)
            responder.onBegan = {}
        }
    }

    @Test("A responder that has resigned does not receive a queued began event")
    func resignedBefore() {
        test.use {
            let responder = Responder("a")
            responder.becomeFirstResponder()
            rest(1)
            test.feed(seconds: 0.8, runsCallbacks: false, Self.shaking)
            #expect(test.callbacks.count > 0)
            responder.resignFirstResponder()
            test.callbacks.run()
            #expect(Responder.log == [])
        }
    }

    @Test("A shake is cancelled if the accelerometer is lost or its readings stop")
    func lost() {
        test.use {
            let responder = Responder("a")
            responder.becomeFirstResponder()
            rest(1)
            shake(0.8)
            test.motion.setStatus(.unavailable(DeviceError(.connectionLost, "Unplugged.")), of: test.sensor)
            test.callbacks.run()
            #expect(Responder.log == ["a began", "a cancelled"])
            test.motion.setStatus(.available, of: test.sensor)
            rest(2)
            shake(0.8)
            #expect(Responder.log.count == 3)
            test.advance(by: 5)
            #expect(Responder.log.suffix(2) == ["a began", "a cancelled"])
        }
    }

    @Test("After the first responder is deallocated, the accelerometer stops at the next reading")
    func released() {
        test.use {
            var responder: Responder? = Responder("a")
            responder?.becomeFirstResponder()
            responder = nil
            #expect(test.interval != nil)
            rest(0.1)
            #expect(test.interval == nil)
            #expect(UIResponder.firstResponder == nil)
        }
    }

    @Test("A responder must permit becoming first responder and must permit resigning")
    func rules() {
        test.use {
            let plain = UIResponder()
            #expect(!plain.becomeFirstResponder())
            #expect(UIResponder.firstResponder == nil)
            let stubborn = Responder("stubborn")
            let other = Responder("other")
            UIResponder.firstResponder = stubborn
            stubborn.refuses = true
            #expect(!other.becomeFirstResponder())
            UIResponder.firstResponder = nil
            #expect(UIResponder.firstResponder === stubborn)
            stubborn.refuses = false
            UIResponder.firstResponder = nil
            #expect(UIResponder.firstResponder == nil)
        }
    }

    @Test("Each device has its own first responder")
    func devices() {
        let other = UIDeviceBench()
        let mine = test.use { Responder("mine") }
        let theirs = other.use { Responder("theirs") }
        #expect(mine.becomeFirstResponder())
        #expect(theirs.becomeFirstResponder())
        #expect(mine.isFirstResponder)
        #expect(other.use { UIResponder.firstResponder } === theirs)
    }

    @Test("A shake does not change the orientation, and the app can use the accelerometer at the same time")
    func withOthers() {
        final class Delegate: NSObject, UIAccelerometerDelegate {
            var readings: [UIAcceleration] = []

            func accelerometer(_ accelerometer: UIAccelerometer, didAccelerate acceleration: UIAcceleration) {
                readings.append(acceleration)
            }
        }
        test.use {
            let delegate = Delegate()
            UIAccelerometer.shared().updateInterval = 0.01
            UIAccelerometer.shared().delegate = delegate
            UIDevice.current.beginGeneratingDeviceOrientationNotifications()
            let notifications = Notifications(UIDevice.orientationDidChangeNotification, of: .current) {
                "\($0.orientation)"
            }
            let responder = Responder("a")
            responder.becomeFirstResponder()
            rest(1)
            shake(0.8)
            rest(2)
            #expect(Responder.log == ["a began", "a ended"])
            #expect(notifications.received == ["faceUp"])
            for event in responder.events {
                let reading = delegate.readings.first { $0.timestamp == event.timestamp }
                #expect(reading != nil && reading?.x == event.acceleration?.x)
            }
            notifications.end()
        }
    }

    @Test("Readings from another thread reach the responder on the main queue")
    func fromPoolThread() async {
        let test = test
        let responder = test.use {
            let responder = Responder("a")
            responder.becomeFirstResponder()
            return responder
        }
        await Task.detached {
            test.feed(seconds: 1, runsCallbacks: false) { _ in [0, 0, UIDeviceBench.gravity] }
            test.feed(seconds: 0.8, runsCallbacks: false) { Self.shaking($0) }
            test.feed(seconds: 1, runsCallbacks: false) { _ in [0, 0, UIDeviceBench.gravity] }
            Self.runOnMainQueue(test)
        }.value
        #expect(Responder.log == ["a began", "a ended"])
        #expect(responder.events.count == 2)
    }

    /// Runs the callbacks on the main queue, like a trace player on another thread.
    private nonisolated static func runOnMainQueue(_ test: UIDeviceBench) {
        DispatchQueue.main.sync { test.callbacks.run() }
    }

    @Test("Event types and subtypes have Apple's raw values")
    func numbers() {
        #expect(UIEvent.EventType.motion.rawValue == 1)
        #expect(UIEvent.EventSubtype.none.rawValue == 0)
        #expect(UIEvent.EventSubtype.motionShake.rawValue == 1)
        #expect(UIEvent().subtype == .none)
        #expect(UIEvent().acceleration == nil)
    }
}
