import type { Escalation } from '../../db/schema/escalations.ts';
import type { FeedAppend } from '../../kernel/durability/unit-of-work.ts';
import { appendChange, type ChangeRow, changeFeed } from '../../kernel/feeds/changes.ts';
import type { Feed, FeedName } from '../../kernel/feeds/feeds.ts';

/** An escalation as the log of changes holds it: its moments are texts there. */
export type EscalationChange = {
  readonly [Key in keyof Escalation]: Escalation[Key] extends Date | null ? string | null : Escalation[Key];
};

/** One feed for each organization. It is apart from the organization's events, and from its rooms. */
const nameOf = (orgId: string): FeedName => ({ orgId, kind: 'escalations', feedId: 'all' });

/** Changes of an organization's escalations. */
export const escalationFeed = (orgId: string): Feed<ChangeRow<EscalationChange>> =>
  changeFeed<EscalationChange>(nameOf(orgId), 'ecr_');

/** Tells the followers how an escalation stands now. Give it to `work.append`. */
export const escalationChanged = (escalation: Escalation): FeedAppend =>
  appendChange(nameOf(escalation.orgId), escalation.id, escalation);

const momentOf = (text: string | null) => (text === null ? null : new Date(text));

/** The escalation that a change of the log holds. */
export const escalationOf = (change: EscalationChange): Escalation => ({
  ...change,
  createdAt: new Date(change.createdAt as string),
  deadlineAt: new Date(change.deadlineAt as string),
  dueAt: momentOf(change.dueAt),
  acknowledgedAt: momentOf(change.acknowledgedAt),
  resolvedAt: momentOf(change.resolvedAt),
});
