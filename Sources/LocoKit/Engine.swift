// `import LocoKit` is all that an app needs.
@_exported public import LocoMachine
