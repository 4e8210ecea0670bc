// IOPowerSources.h. Its functions take and return Core Foundation types, which only Swift declares here: see IOKit.swiftinterface.
