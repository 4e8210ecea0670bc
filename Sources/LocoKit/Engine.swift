// Re-exports LocoMachine, so that an app only imports LocoKit.
@_exported public import LocoMachine
