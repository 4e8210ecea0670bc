#if !hasFeature(Embedded)
  /// The keys of a snapshot and of a transition. One type that isn't generic keeps programs small.
  enum StateCodingKey: CodingKey { case state, enteredAt, settings, from, event, to }
#endif
