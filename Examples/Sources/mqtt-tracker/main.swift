// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import MQTTPublisher
import MQTTTracker

@Sendable func reportError(_ text: String) { FileHandle.standardError.write(Data("mqtt-tracker: \(text)\n".utf8)) }

let words = Array(CommandLine.arguments.dropFirst())
guard words.count == 4 else {
    reportError("usage: mqtt-tracker BROKER USER DEVICE SPOOL    BROKER: mqtt://host[:port] or mqtts://host[:port]")
    exit(64)
}
do {
    var settings = MQTTPublisherSettings(broker: try BrokerAddress(words[0]), user: words[1], device: words[2])
    settings.spoolFolder = words[3]
    // The password and certificate files that the environment or the configuration file names.
    settings.files = Configuration.load().brokerFiles.value
    let tracker = try MQTTTracker(settings, report: reportError)
    tracker.start()
    // Services are stopped with SIGTERM, and programs in a terminal with SIGINT.
    let signals = [SIGTERM, SIGINT].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
        source.setEventHandler {
            tracker.stop()
            let statistics = tracker.statistics
            reportError("\(statistics.delivered) messages were delivered, \(statistics.queued) remain queued")
            exit(0)
        }
        source.resume()
        return source
    }
    withExtendedLifetime((tracker, signals)) { RunLoop.main.run() }
} catch {
    reportError("\(error)")
    exit(69)
}
