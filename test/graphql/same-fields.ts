import { withoutNulls } from '../helpers/as-wire.ts';

// What is asked of each kind of object over GraphQL, and how the answer is spelt over REST.

export const eventFields = 'eventId projectId type class source occurredAt payload nextActions';
export const eventOf = ({ event_id: id, type, ...rest }: Record<string, unknown>) => ({
  id,
  event_type: type,
  ...rest,
});

export const presenceFields = 'presenceId name task program model state lastActive expiresAt';
export const arrivalFields = 'arrival { resumed requestedName renamed why }';

/** An arrival as REST shows it, which says only what there is to say. */
export function arrivalOf({ arrival, ...presence }: Record<string, unknown>) {
  const { resumed, ...named } = arrival as Record<string, unknown>;
  return {
    ...presence,
    ...withoutNulls(named, 'requested_name', 'renamed', 'why'),
    ...(resumed === true && { resumed: true }),
  };
}

export const claimFields = 'claimId resource mode note holder expiresAt createdAt';

export const inviteFields = 'inviteId kind role orgId roomKey note expiresAt createdAt';
export const inviteOf = ({ org_id, room_key, ...rest }: Record<string, unknown>) => ({
  ...rest,
  room: { org_id, room_key },
});

export const escalationFields = `escalationId orgId projectId raisedBy delegateId presenceName severity reason details status
  level raisedAt deadlineAt acknowledgedAt acknowledgedByEmail acknowledgedVia resolvedAt resolvedByEmail resolvedNote
  climbs { fromLevel toLevel at reason } repageCount`;

/** GraphQL has no objects within for what happens once. */
export function escalationOf(flat: Record<string, unknown>) {
  const { raised_by, delegate_id, presence_name, ...rest } = flat;
  const { acknowledged_at, acknowledged_by_email, acknowledged_via, ...unresolved } = rest;
  const { resolved_at, resolved_by_email, resolved_note, ...shown } = unresolved;
  return {
    ...shown,
    raised_by: { principal_id: raised_by, delegate_id, presence_name },
    acknowledged:
      acknowledged_at === null
        ? null
        : { at: acknowledged_at, by_email: acknowledged_by_email, channel: acknowledged_via },
    resolved: resolved_at === null ? null : { at: resolved_at, by_email: resolved_by_email, note: resolved_note },
  };
}

export const fingerprintFields = `fingerprintId function kind quality errorName messageTemplate stableFrames count firstSeen
  lastSeen firstSeenReleaseId lastSeenReleaseId firstSample { sampleId at releaseId }
  recentSamples { sampleId at releaseId } nextActions alsoSeenInFunctions`;

const sampleOf = ({ sample_id: id, ...rest }: Record<string, unknown>) => ({ id, ...rest });

export function fingerprintOf(flat: Record<string, unknown>) {
  const { quality, first_sample: first, recent_samples: recent, ...rest } = flat;
  const samples = {
    first: sampleOf(first as Record<string, unknown>),
    recent: (recent as Record<string, unknown>[]).map(sampleOf),
  };
  return { ...rest, fingerprint_quality: quality, samples };
}
