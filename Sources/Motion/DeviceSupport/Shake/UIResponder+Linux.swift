// SPDX-License-Identifier: Apache-2.0

import LiveDevice

/// What Apple's API has no words for, since there a window knows it.
extension UIResponder {
    /// The object that hears of shakes first, of the device in force; nil when there is none. Held weakly.
    ///
    /// Setting it is `becomeFirstResponder()` of the new object, setting it to nil `resignFirstResponder()` of the
    /// present one: either may refuse.
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
