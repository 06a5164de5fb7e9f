// SPDX-License-Identifier: Apache-2.0

import LiveDevice

/// What Apple's API has no words for, since there a window knows it.
extension UIResponder {
    /// The first object to hear of shakes of the device in force; nil when there is none. Held weakly.
    ///
    /// Setting it calls `becomeFirstResponder()` of the new object; setting it to nil calls `resignFirstResponder()` of
    /// the present one. Either may refuse.
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
