import { z } from 'zod';
import type { DeliveryAttempt, Escalation } from '../../db/schema/escalations.ts';

export const severityWire = z.enum(['normal', 'high']);
export const statusWire = z.enum(['open', 'acknowledged', 'resolved']);

export const DeliveryAttemptWire = z.object({
  email: z.string(),
  channel: z.enum(['email', 'chat', 'webhook']),
  status: z.enum(['delivered', 'failed_transient', 'failed_permanent', 'skipped_disabled']),
  error: z.string().nullable(),
  at: z.iso.datetime(),
});

const RaiserWire = z
  .object({ principal_id: z.string(), delegate_id: z.uuid().nullable(), presence_name: z.string().nullable() })
  .meta({ id: 'EscalationRaiser' });

const AcknowledgementWire = z
  .object({ at: z.iso.datetime(), by_email: z.string().nullable(), channel: z.enum(['token', 'authenticated']) })
  .meta({ id: 'EscalationAcknowledgement' });

const ResolutionWire = z
  .object({ at: z.iso.datetime(), by_email: z.string().nullable(), note: z.string().nullable() })
  .meta({ id: 'EscalationResolution' });

const ClimbWire = z
  .object({ from_level: z.int(), to_level: z.int(), at: z.iso.datetime(), reason: z.literal('deadline_lapsed') })
  .meta({ id: 'EscalationClimb' });

/** Contract 02, section 3.1. */
export const EscalationWire = z
  .object({
    escalation_id: z.uuid(),
    org_id: z.uuid(),
    project_id: z.string().nullable(),
    raised_by: RaiserWire,
    severity: severityWire,
    reason: z.string(),
    details: z.record(z.string(), z.unknown()),
    status: statusWire,
    level: z.int(),
    raised_at: z.iso.datetime(),
    deadline_at: z.iso.datetime(),
    acknowledged: AcknowledgementWire.nullable(),
    resolved: ResolutionWire.nullable(),
    climbs: z.array(ClimbWire),
    repage_count: z.int(),
  })
  .meta({ id: 'Escalation' });

export const escalationToWire = (escalation: Escalation): z.infer<typeof EscalationWire> => ({
  escalation_id: escalation.id,
  org_id: escalation.orgId,
  project_id: escalation.projectId,
  raised_by: {
    principal_id: escalation.raisedBy,
    delegate_id: escalation.delegateId,
    presence_name: escalation.presenceName,
  },
  severity: escalation.severity,
  reason: escalation.reason,
  details: escalation.details,
  status: escalation.status,
  level: escalation.level,
  raised_at: escalation.createdAt.toISOString(),
  deadline_at: escalation.deadlineAt.toISOString(),
  acknowledged: acknowledgementOf(escalation),
  resolved: resolutionOf(escalation),
  climbs: [...escalation.climbs],
  repage_count: escalation.repageCount,
});

function acknowledgementOf({ acknowledgedAt, acknowledgedByEmail, acknowledgedVia }: Escalation) {
  if (acknowledgedAt === null) return null;
  return { at: acknowledgedAt.toISOString(), by_email: acknowledgedByEmail, channel: acknowledgedVia! };
}

const resolutionOf = ({ resolvedAt, resolvedByEmail, resolvedNote }: Escalation) =>
  resolvedAt === null ? null : { at: resolvedAt.toISOString(), by_email: resolvedByEmail, note: resolvedNote };

export const attemptToWire = (attempt: DeliveryAttempt): z.infer<typeof DeliveryAttemptWire> => ({
  email: attempt.email,
  channel: attempt.channel,
  status: attempt.status,
  error: attempt.error,
  at: attempt.at.toISOString(),
});

/** What answering one says. Contract 02, section 3.4. */
export interface Answered {
  readonly escalation: Escalation;
  /** False: somebody was first. */
  readonly changed: boolean;
}

export const AnsweredWire = EscalationWire.extend({ changed: z.boolean() }).meta({ id: 'AnsweredEscalation' });

export const answeredToWire = ({ escalation, changed }: Answered): z.infer<typeof AnsweredWire> => ({
  ...escalationToWire(escalation),
  changed,
});
