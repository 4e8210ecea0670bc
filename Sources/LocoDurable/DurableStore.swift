/// A store that writes its changes on a queue, so that a change doesn't wait for the disk.
///
/// Changes that are made during a write wait for the next one. After a failure the store retries with back-off, and reports the failure
/// unless the previous attempt failed for the same reason. Changes that are made during the back-off wait for the retry, unless they are
/// urgent. Until all changes are written, or until the system's time limit, a store with
/// an activity asks the system not to suspend the app.
package protocol DurableStore: AnyObject, Sendable {
  associatedtype Changes: UnwrittenChanges
  var log: DurableLog<Changes> { get }
  /// Writes changes, on the queue.
  func write(_ work: Changes.Work) throws
}
