// SPDX-License-Identifier: Apache-2.0

import LiveDevice

/// Additions to Apple's API, in which a window keeps track of the first responder.
extension UIResponder {
    /// The first responder for motion events of the current device; nil if there is none. Held weakly.
    ///
    /// Setting the property calls `becomeFirstResponder()` on the new object. Setting it to nil calls
    /// `resignFirstResponder()` on the current one. Both may refuse.
    public static var firstResponder: UIResponder? {
        get { ShakeMonitor.of(LiveDevice.resolved).firstResponder }
        set {
            if let newValue {
                newValue.becomeFirstResponder()
            } else {
                firstResponder?.resignFirstResponder()
            }
        }
    }
}
