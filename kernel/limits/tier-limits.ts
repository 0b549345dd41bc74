/** Every limit of an organization, by name. Numbers are data: a tier's row, then what the platform admin set. */
export interface Limits {
  /** Reads a caller may make in this organization, per second and as a burst. */
  readonly readsPerSecond: number;
  readonly readsBurst: number;
  /** Changes a caller may make in this organization, per second and as a burst. */
  readonly writesPerSecond: number;
  readonly writesBurst: number;
  /** Projects that are not deleted. */
  readonly projects: number;
  /** Members and pending invitations. */
  readonly members: number;
  /** Grants that hold, of one project. */
  readonly grantsPerProject: number;
  /** Delegates that hold, of one project. */
  readonly delegatesPerProject: number;
  /** Live connections of one project at once, on all nodes together. Contract 01, section 4.7. */
  readonly liveConnectionsPerProject: number;
  /** Data-plane requests per lease. */
  readonly apiCalls: number;
  /** Bytes stored by all projects together. */
  readonly storageBytes: number;
  /** Secrets of all projects together. */
  readonly secrets: number;
  /** Messages sent in all rooms together, per day of UTC. */
  readonly messagesPerDay: number;
  /** Events that applications emit in a UTC day. */
  readonly eventsPerDay: number;
  /** Mails that mailboxes send in a UTC day. */
  readonly emailsPerDay: number;
  /** Addresses that mailboxes write to while usage is counted. */
  readonly mailRecipients: number;
}
