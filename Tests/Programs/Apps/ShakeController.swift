// SPDX-License-Identifier: Apache-2.0

import DeviceSupport

/// Listings 3-13 and 3-14 of the iPhone Application Programming Guide of 2010, in Swift and without their views: an
/// object becomes first responder and handles shakes.
public class ShakeController: UIResponder {
    /// Prints a line. A test may replace it.
    public var show: (String) -> Void = { text in
        print(text)
        fflush(nil)
    }

    // Listing 3-13.

    public override var canBecomeFirstResponder: Bool { true }

    /// Called when the view would have appeared.
    public func viewDidAppear() {
        show("first responder \(becomeFirstResponder())")
    }

    // Listing 3-14.

    public override func motionBegan(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
        show("began")
    }

    public override func motionEnded(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
        if motion == .motionShake {
            // The user was shaking the device.
            show("shaken")
        }
    }

    public override func motionCancelled(_ motion: UIEvent.EventSubtype, with event: UIEvent?) {
        show("cancelled")
    }
}
