#if !hasFeature(Embedded)
  #if canImport(Observation)
    internal import Observation
  #endif

  /// Tells the observers of an object, such as SwiftUI's views, that the object's properties may have changed.
  ///
  /// An observer of Observation reads a property to be notified once, of the next change. A registrar therefore announces a change only if
  /// there was a read since the last one: without reads, an event costs four instructions more.
  @usableFromInline
  package final class Registrar {
    /// Whether a property was read since the last change was announced.
    @exclusivity(unchecked) @usableFromInline package private(set) var hasReads = false
    /// The `Revision` after the first read; its type isn't available on all systems.
    private var revision: AnyObject?

    @usableFromInline package init() {}

    /// Notes that the caller reads a property.
    @usableFromInline
    package func noteRead() {
      #if canImport(Observation)
        guard #available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *) else { return }
        let revision = revision ?? Revision()
        (self.revision, hasReads) = (revision, true)
        _ = unsafeDowncast(revision, to: Revision.self).number
      #endif
    }

    /// Announces that properties may have changed.
    @usableFromInline
    package func announceChange() {
      #if canImport(Observation)
        guard #available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *), let revision else { return }
        hasReads = false
        unsafeDowncast(revision, to: Revision.self).number &+= 1
      #endif
    }
  }

  #if canImport(Observation)
    /// The number of announced changes.
    @available(iOS 17, macOS 14, watchOS 10, tvOS 17, visionOS 1, *)
    @Observable
    private final class Revision {
      var number = 0
    }
  #endif
#endif
