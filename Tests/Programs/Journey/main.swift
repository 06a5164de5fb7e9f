// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

// Shows everything until it is ended; with an argument, until it has shown a line that begins with that.
let controller = JourneyController()
if let last = CommandLine.arguments.dropFirst().first {
    let show = controller.show
    controller.show = { text in
        show(text)
        if text.hasPrefix(last) { exit(0) }
    }
}
controller.viewDidLoad()
RunLoop.main.run()
