// Re-exports LocoMachine, so that an app that imports LocoKit needn't import it too.
@_exported public import LocoMachine
