// SPDX-License-Identifier: Apache-2.0

import Foundation

// Programs as written for iOS, in the Swift of that time. The first argument selects a program, which runs until it
// ends itself or is killed:
//
//     listing-8-7                   one recent location
//     listing-8-8 (and 8-9)         a hundred headings
//     listing-8-3 (to 8-6)          a hundred readings of the accelerometer, filtered
//     listing-3-13 (and 3-14)       shakes
//     motion-manager, book-motion, book-location
//     journey [BEGINNING]           all frameworks at once, until a line has this beginning
//     session PROTOCOL [--manual] [--pattern] [--greeting TEXT]       see SessionProgram.swift

let arguments = Array(CommandLine.arguments.dropFirst(2))
/// Retains the controller while the program runs, because a delegate does not retain its owner.
var app: Any?

func listing87() {
    let finder = LocationFinder()
    app = finder
    finder.startUpdates()
}

func listing88() {
    let reader = HeadingReader()
    app = reader
    reader.rest = 100
    reader.startHeadingUpdates()
}

func listing83() {
    let reader = AccelerometerReader()
    app = reader
    reader.configureAccelerometer()
}

func listing313() {
    let controller = ShakeController()
    app = controller
    controller.viewDidAppear()
}

func motionManager() {
    let controller = MotionViewController()
    app = controller
    controller.viewDidLoad()
}

func bookMotion() {
    let controller = DeviceMotionViewController()
    app = controller
    controller.viewDidAppear(false)
}

func bookLocation() {
    let controller = LocationViewController()
    app = controller
    controller.viewDidLoad()
}

func journey() {
    let controller = JourneyController()
    app = controller
    if let last = arguments.first {
        let show = controller.show
        controller.show = { text in
            show(text)
            if text.hasPrefix(last) { exit(0) }
        }
    }
    controller.viewDidLoad()
}

func session() {
    guard let protocolName = arguments.first else { exit(2) }
    let greeting = arguments.drop { $0 != "--greeting" }.dropFirst().first
    let program = SessionProgram(
        protocolName: protocolName, isManual: arguments.contains("--manual"),
        isPattern: arguments.contains("--pattern"), greeting: greeting)
    app = program
    Thread.detachNewThread {
        while let line = readLine() {
            DispatchQueue.main.async { program.obey(line) }
        }
        DispatchQueue.main.async { exit(0) }
    }
}

switch CommandLine.arguments.dropFirst().first {
case "listing-8-7": listing87()
case "listing-8-8": listing88()
case "listing-8-3": listing83()
case "listing-3-13": listing313()
case "motion-manager": motionManager()
case "book-motion": bookMotion()
case "book-location": bookLocation()
case "journey": journey()
case "session": session()
default: exit(2)
}
RunLoop.main.run()
